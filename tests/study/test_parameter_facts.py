"""The strengths of linclass's models are tuned by default, and untuned parameters are shown."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, ClassVar

import pytest

from linclass import LogisticRegression
from linclass_study.config.estimator_check import parameter_facts, with_default_paths
from linclass_study.report.tables.diagnostics import budget

LOGISTIC = {"classifier": "linclass.LogisticRegression"}


class Own(LogisticRegression):
    """A model of a user, with a strength and with a parameter of its own whose range begins at 0."""

    limits: ClassVar = {"shrink": (0,)}

    def __init__(self, strength: float = 0.001, shrink: float = 0.5):
        super().__init__(strength=strength)
        self.shrink = shrink


def inside(path: str, inner: Any = LOGISTIC, **params: Any) -> dict[str, Any]:
    return {"classifier": path, "params": {"estimator": inner, **params}}


def fixed(entry: dict[str, Any], **params: Any) -> dict[str, Any]:
    return {**entry, "params": {**entry.get("params", {}), **params}}


@pytest.fixture(autouse=True)
def mine(monkeypatch):
    module = ModuleType("mine_with_limits")
    module.Own = Own  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)


def test_strengths_without_a_value_are_tuned_along_their_path():
    tuned = {
        "strength": [LOGISTIC, fixed(LOGISTIC, penalty="l1"), {"classifier": "linclass.KernelSVM"},
                     {"classifier": "mine_with_limits.Own"}],
        "estimator__strength": [inside("linclass.OneVsRest"), inside("linclass.Calibrated")],
    }  # fmt: skip
    for name, entries in tuned.items():
        for entry in entries:
            resolved = with_default_paths(entry, parameter_facts(entry))
            assert resolved == {**entry, "tune": {name: "path"}}, entry
    not_tuned = [
        fixed(LOGISTIC, strength=0.001),
        fixed(LOGISTIC, penalty=None),
        {**LOGISTIC, "tune": {"penalty": ["l1", "l2"]}},
        inside("linclass.OneVsRest", fixed(LOGISTIC, strength=1.0)),
        inside("linclass.OneVsRest", estimator__strength=1.0),
        inside("linclass.TunedClassifier"),
        inside("linclass.OneVsRest", inside("linclass.TunedClassifier")),
        {"classifier": "linclass.BayesianLogisticRegression"},
        {"classifier": "sklearn.linear_model.LogisticRegression"},
    ]
    for entry in not_tuned:
        assert with_default_paths(entry, parameter_facts(entry)) == entry


def test_limits_and_untuned_parameters_are_stated():
    shown = {
        "strength 0.001": fixed(LOGISTIC, strength=0.001),
        "strength 0.001, penalty l1": {**fixed(LOGISTIC, penalty="l1"), "tune": {"tol": [0.1, 1]}},
        "C 1": {"classifier": "sklearn.linear_model.LogisticRegression"},
        "shrinkage 0": {"classifier": "linclass.LinearDiscriminantAnalysis"},
        "gamma scale": {"classifier": "linclass.KernelSVM"},
        "": LOGISTIC,
    }
    for text, entry in shown.items():
        facts = parameter_facts(entry)
        assert budget(with_default_paths(entry, facts), facts)[1] == text
    facts = parameter_facts(LOGISTIC)
    tuned = budget(with_default_paths(LOGISTIC, facts), facts)[0]
    assert tuned == "strength: path of 31 (by default)"
    by_fit = {
        "strength: by the evidence": {"classifier": "linclass.BayesianLogisticRegression"},
        "shrinkage: by the formula of Ledoit and Wolf": fixed(
            {"classifier": "linclass.LinearDiscriminantAnalysis"}, shrinkage="ledoit_wolf"
        ),
    }
    for text, entry in by_fit.items():
        assert budget(entry, parameter_facts(entry))[0] == text
    assert parameter_facts({"classifier": "mine_with_limits.Own"})["limits"] == {"shrink": [0]}
    assert parameter_facts(LOGISTIC)["limits"] == {}
