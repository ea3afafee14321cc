"""Folds and candidates solved together give what they give one by one."""

from pathlib import Path

import numpy as np
import pytest
from cases import each
from run_alone import rows_file, run_alone
from scipy import sparse

import linclass
from linclass import LinearDiscriminantAnalysis, LogisticRegression
from linclass.base.messages import NotApplicable
from linclass.base.public import module_of
from linclass.base.tables import Table
from linclass.tuning.folds import stratified_folds
from linclass_study.config import code
from linclass_study.execution.folds import Plan
from linclass_study.pipeline import fitting, inner_folds
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.transforming import shared_transforms, transform_class

TASK = Task(n_classes=3, positive=2)
STEPS = (("impute", {}), ("one_hot", {}), ("standardize", {}))
STRENGTHS = {"strength": [1.0, 0.1, 0.01, 0.001]}


class Alone(LogisticRegression):
    """The same, fit by fit."""

    fit_many = None  # type: ignore[assignment]


def rows(n=120, seed=1):
    """Numbers of different scales and a category whose last level is rare."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3).astype(np.int32)
    numbers = rng.normal([0, 300, -1], [1, 50, 1e-2], size=(n, 3)) + y[:, None] * [1, 40, 0]
    kind = np.where(np.arange(n) < 4, 2, rng.integers(0, 2, n))
    levels = {"kind": ("a", "b", "c")}
    return Table(np.column_stack([numbers, kind]), ("u", "v", "w", "kind"), levels), y


def held_out(y, folds=5):
    fold = stratified_folds(y, folds, 4)
    return [np.flatnonzero(fold == k) for k in range(folds)]


def methods(tune=None, **params):
    """With fit_many and without, at a tol that rounding errors still let any processor reach."""
    kinds = LogisticRegression, Alone
    return [Method(kind, {"tol": 1e-15} | params, tune or {}, STEPS) for kind in kinds]


def test_folds_fitted_together_predict_what_they_predict_alone():
    table, y = rows()
    method = Method(LinearDiscriminantAnalysis, {}, {}, STEPS)
    folds = held_out(y)
    for test, fitted in zip(folds, fitting.fit_folds(method, table, y, folds, TASK), strict=True):
        train = np.delete(np.arange(len(y)), test)
        single = fit_method(method, table.rows(train), y[train], TASK, 1)
        for ours, theirs in zip(
            fitted.predict(table.rows(test)), single.predict(table.rows(test)), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-8)


@each("metric", ["accuracy", "log_loss"])
def test_the_same_strengths_are_chosen_together_and_alone(metric):
    task = Task(3, 2, tune_metric=metric)
    for seed in range(4):
        table, y = rows(90, seed)
        method, alone = methods(tune=STRENGTHS)
        chosen = [fit_method(m, table, y, task, seed) for m in (method, alone)]
        assert chosen[0].chosen == chosen[1].chosen
        ours, theirs = (fitted.predict(table)[2] for fitted in chosen)
        np.testing.assert_array_equal(ours, theirs)  # the last fit is the same one


def test_tuning_asks_fit_many_once(monkeypatch):
    table, y = rows()
    calls = []
    fit_many = LogisticRegression.fit_many

    def counted(self, X, y, folds, params, scaling=None):
        calls.append((len(folds), len(params)))
        return fit_many(self, X, y, folds, params, scaling)

    monkeypatch.setattr(LogisticRegression, "fit_many", counted)
    fit_method(methods(tune=STRENGTHS)[0], table, y, TASK, 1)
    assert calls == [(5, 4)]


def test_folds_are_transformed_separately_if_a_level_occurs_in_one_fold_only():
    table, y = rows()
    rare = np.arange(4)
    assert shared_transforms(STEPS, table, held_out(y)) is not None
    assert shared_transforms(STEPS, table, [rare, np.arange(4, 60)]) is None
    method, _ = methods()
    with pytest.raises(NotApplicable, match="transforms"):
        fitting.fit_folds(method, table, y, [rare, np.arange(4, 60)], TASK)


@each("kind", ["dense", "sparse"])
def test_standardize_for_folds_is_what_each_fold_fits(kind):
    rng = np.random.default_rng(0)
    n = 60
    X = rng.normal([1e6, 0, 3, 0, 0, 0], [1, 1e-9, 1, 1, 1, 1], size=(n, 6))
    X[:, 2] = 0.1  # constant
    X[:, 3] = 0
    X[7, 3] = 5  # constant without row 7
    X[:, 4] = rng.random(n) < 0.3
    X[11, 5] = 1e7  # spreads a column that is narrow without it
    X = sparse.csr_array(X) if kind == "sparse" else X
    table = Table(X, tuple("abcdef"), {})
    folds = [np.array([i]) for i in range(n)] + [np.arange(0, n, 3), np.empty(0, dtype=int)]
    standardize = transform_class("standardize")
    for rows_, fitted in zip(folds, standardize().for_folds(table, folds), strict=True):
        alone = standardize().fit(table.rows(np.delete(np.arange(n), rows_)))
        np.testing.assert_allclose(fitted.scale_, alone.scale_, rtol=1e-9)
        np.testing.assert_allclose(fitted.mean_, alone.mean_, rtol=1e-12, atol=1e-15)


def test_failed_candidates_are_excluded_and_joint_fits_may_not_apply():
    y = np.arange(20) % 2

    def scores(held_out, options):
        return [[lambda: 1 / 0, lambda: 0.4, lambda: 0.9] for _ in held_out]

    options = [{"C": 1}, {"C": 2}, {"C": 3}]
    assert inner_folds.choose(options, y, 2, 0, None, None, scores).option == {"C": 3}

    def fails(held_out, options):
        raise NotApplicable("one by one")

    def score(prepared, option):
        return option["C"]

    best = inner_folds.choose(
        [{"C": 1}, {"C": 2}], y, 2, 0, lambda *rows: None, score, fails
    ).option
    assert best == {"C": 2}


LIMITS = {"fit_seconds": 8, "fit_memory_mb": 1000}


def records(tmp_path, entry, folds, of_one_repeat=False):
    table, y = rows()
    path = rows_file(tmp_path, table, y)
    numbers = np.arange(len(y))
    plan = Plan.of(
        {("cv", r): np.where(np.isin(numbers, rows), 0, -1) for r, rows in enumerate(folds)}
    )
    if of_one_repeat:  # only its folds are fitted jointly
        plan = Plan.of({("cv", 0): sum(k * np.isin(numbers, rows) for k, rows in enumerate(folds))})
    task = {"n_classes": 3, "positive": 2, "inner_folds": 2}
    kept = run_alone(LIMITS, "d", "m", entry, path, plan, task, 1)
    return kept.fits, kept.table()


def entry(classifier, **params):
    return {
        "classifier": classifier,
        "params": params,
        "transforms": ["impute", "one_hot", "standardize"],
    }


@pytest.mark.usefixtures("in_process")
def test_fits_solved_together_share_their_time_equally(tmp_path):
    _, y = rows()
    fits, _ = records(tmp_path, entry("linclass.LinearDiscriminantAnalysis"), held_out(y), True)
    assert len(fits) == 5
    assert len({fit["fit_seconds"] for fit in fits}) == 1
    assert {fit["status"] for fit in fits} == {"converged"}
    assert len({fit["seed"] for fit in fits}) == 5


@pytest.mark.usefixtures("in_process")
def test_a_failing_fold_does_not_affect_the_others(tmp_path, monkeypatch):
    """The first fold leaves two classes, the second only one: only the second fit fails."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    _, y = rows()
    folds = [np.flatnonzero(y == 0), np.flatnonzero(y != 1), np.arange(0, 40)]
    fits, predictions = records(tmp_path, entry("linclass.LogisticRegression"), folds)
    assert [fit["status"] for fit in fits] == ["converged", "not_applicable", "converged"]
    assert predictions["repeat"].unique().sort().to_list() == [0, 2]


@pytest.mark.parametrize("name", ["DiesTogether", "HangsTogether", "FailsTogether"])
def test_folds_of_a_crashed_joint_fit_are_fitted_alone(tmp_path, monkeypatch, name):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setitem(LIMITS, "fit_seconds", 3)
    _, y = rows()
    fits, _ = records(tmp_path, entry(f"odd_estimators.{name}"), held_out(y))
    assert {fit["status"] for fit in fits} == {"converged"}


def test_joint_fits_count_no_code_of_other_classifiers():
    counted, _ = code.closure(
        [], code.modules_of_method(entry("linclass.LogisticRegression"), "accuracy")
    )
    models = {module_of(name).rpartition(".")[2] for name in linclass.__all__ if name[0].isupper()}
    assert models & {path.stem for path in counted} == {"linear_classifier", "logistic_regression"}


def test_candidates_are_compared_at_a_coarse_tolerance_and_the_chosen_one_is_fitted_at_its_own():
    output = []

    class Listens(Alone):
        path = None

        def fit(self, X, y, sample_weight=None):
            output.append(self.tol)
            return super().fit(X, y, sample_weight)

    table, y = rows()
    for params in ({}, {"tol": 1e-9}, {"tol": 0.1}):
        fit_method(Method(Listens, params, STRENGTHS, STEPS), table, y, TASK, 1)
    fit_method(Method(Listens, {}, {"tol": [1e-8]}, STEPS), table, y, TASK, 1)
    coarse = [1e-3] * 20
    assert output == [*coarse, 1e-6, *coarse, 1e-9, *[0.1] * 21, *[1e-8] * 6]
