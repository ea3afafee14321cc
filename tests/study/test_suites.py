"""Suites of data sets, and facts about the parameters of methods."""

from __future__ import annotations

import sys
from collections import Counter
from types import ModuleType
from typing import ClassVar

import pytest
from cases import each

from linclass import LogisticRegression
from linclass_study.config import catalogues
from linclass_study.config.catalogues import expand, suite_names
from linclass_study.config.estimator_check import parameter_facts, with_default_paths
from linclass_study.config.schema import schema_problems
from linclass_study.data.expected_size import expected_size
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import ROOT
from linclass_study.report.tables.diagnostics import budget

# Published lists: as many sets as their authors say, each pinned by its numbers, each an entry that can be read

# the numbers of tasks that the publications state, and two sets of each with their sizes in UCI's descriptions
PUBLISHED = {
    "openml_cc18": (72, {"vowel.307": (990, 12), "adult.1590": (48_842, 14)}),
    "amlb_classification_2023": (71, {"covertype.1596": (581_012, 54), "yeast.181": (1484, 8)}),
}


def tasks(suite):
    return read_yaml(ROOT / "config" / "suites" / f"{suite}.yaml")["tasks"]


OWN = "reference_2026"


def test_a_name_in_two_suites_or_in_the_catalogue_is_one_data_set():
    names = [name for suite in (OWN, *PUBLISHED) for name in catalogues.suite_entries([suite])]
    names += read_yaml(ROOT / "config" / "datasets.yaml")
    twice = {name for name, times in Counter(names).items() if times > 1}
    assert twice == {*catalogues.suite_entries(["openml_cc18"])} & {
        *catalogues.suite_entries(["amlb_classification_2023"])
    }


def test_suites_are_published_and_share_data_sets_once():
    assert suite_names() == sorted([*PUBLISHED, OWN])
    both = catalogues.suite_entries(PUBLISHED)
    assert len(both) < 72 + 71
    first = {task["data"]: task for task in tasks("openml_cc18")}
    for task in tasks("amlb_classification_2023"):
        same = {"task": 0, "target": 0}
        assert first.get(task["data"], task) | same == task | same


@each("suite", PUBLISHED)
def test_a_suite_has_its_tasks_once_and_every_one_is_pinned(suite):
    number, known = PUBLISHED[suite]
    listed, keys = tasks(suite), {"task", "data", "name", "rows", "features", "classes"}
    for key in ("task", "data"):
        assert len({task[key] for task in listed}) == number
    for task in listed:
        assert set(task) - {"target"} == keys
        assert min(task["task"], task["data"], task["features"]) >= 1
        assert 2 <= task["classes"] < task["rows"]
    found = catalogues.suite_entries([suite])
    assert len(found) == number
    assert not list(schema_problems("datasets", found))
    for name, (rows, features) in known.items():
        assert expected_size(found[name]) == (rows * features, rows)


# One entry with `grid:` is as many entries as its lists have combinations, each as if it were written out


def test_each_combination_is_an_entry_with_values_of_their_own_type():
    entries, written, wrong = expand({
        "m_{a}_{b}": {
            "grid": {"a": [0.01, 1], "b": {"few": [5, 5], "many": [50, 50]}},
            "params": {"strength": "{a}", "rows": ["{b}"], "text": "a is {a}, b is {b}"},
        },
        "plain": {"x": 1},
    })  # fmt: skip
    assert not wrong
    assert entries == {
        "m_0.01_few": {"params": {"strength": 0.01, "rows": [[5, 5]], "text": "a is 0.01, b is few"}},
        "m_0.01_many": {"params": {"strength": 0.01, "rows": [[50, 50]], "text": "a is 0.01, b is many"}},
        "m_1_few": {"params": {"strength": 1, "rows": [[5, 5]], "text": "a is 1, b is few"}},
        "m_1_many": {"params": {"strength": 1, "rows": [[50, 50]], "text": "a is 1, b is many"}},
        "plain": {"x": 1},
    }  # fmt: skip
    assert set(written.values()) == {"m_{a}_{b}", "plain"}


@each(("name", "grid", "words"), [
    ("m_{a}", {"a": 3}, "3 is not a list"),
    ("m_{a}", [1, 2], "is not a mapping"),
    ("m", {"a": [1, 2]}, "the name lacks {a}"),
    ("m_{a}", {"a": [[1, 2], [3]]}, "a value that is a list needs a name"),
    ("m_{a}_{b}", {"a": list(range(200)), "b": list(range(200))}, "stands for 40000 entries"),
])  # fmt: skip
def test_an_invalid_grid_is_reported_in_one_line(name, grid, words):
    entries, _, wrong = expand({name: {"grid": grid}})
    assert not entries
    (sentence,) = [sentence for _, sentence in wrong]
    assert words in sentence


def test_grids_that_produce_equal_names_are_refused():
    _, _, wrong = expand({"m_{a}": {"grid": {"a": [1]}}, "m_1": {}})
    assert [path for path, _ in wrong] == [["m_1"]]


# The strengths of linclass's models are tuned by default, and untuned parameters are shown

LOGISTIC = {"classifier": "linclass.LogisticRegression"}


class Own(LogisticRegression):
    """A model of a user, with a strength and with a parameter of its own whose range begins at 0."""

    limits: ClassVar = {"shrink": (0,)}

    def __init__(self, strength: float = 0.001, shrink: float = 0.5):
        super().__init__(strength=strength)
        self.shrink = shrink


def inside(path, inner=LOGISTIC, **params):
    return {"classifier": path, "params": {"estimator": inner, **params}}


def fixed(entry, **params):
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
    lda = {"classifier": "linclass.LinearDiscriminantAnalysis"}
    by_fit = {
        "strength: by the evidence": {"classifier": "linclass.BayesianLogisticRegression"},
        "shrinkage: by the formula of Ledoit and Wolf": fixed(lda, shrinkage="ledoit_wolf"),
    }
    for text, entry in by_fit.items():
        assert budget(entry, parameter_facts(entry))[0] == text
    assert parameter_facts({"classifier": "mine_with_limits.Own"})["limits"] == {"shrink": [0]}
    assert parameter_facts(LOGISTIC)["limits"] == {}
