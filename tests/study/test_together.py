"""Folds and candidates solved together give what they give one by one."""

import numpy as np
import pytest
from cases import each
from run_alone import LIMITS, rows_file, run_alone
from scipy import sparse

import linclass
from linclass import LinearDiscriminantAnalysis, LogisticRegression
from linclass.base.messages import NotApplicable
from linclass.base.public import module_of
from linclass.base.tables import Table
from linclass.tuning.folds import stratified_folds
from linclass_study.config import code
from linclass_study.execution.folds import Plan
from linclass_study.pipeline import fitting
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


def method(kind, tune=None, **params):
    """At a tol that rounding errors still let any processor reach."""
    return Method(kind, {"tol": 1e-15} | params, tune or {}, STEPS)


def test_folds_fitted_together_predict_what_they_predict_alone():
    table, y = rows()
    lda, folds = Method(LinearDiscriminantAnalysis, {}, {}, STEPS), held_out(y)
    for test, fitted in zip(folds, fitting.fit_folds(lda, table, y, folds, TASK), strict=True):
        train = np.delete(np.arange(len(y)), test)
        single = fit_method(lda, table.rows(train), y[train], TASK, 1)
        ours, theirs = (fit.predict(table.rows(test)) for fit in (fitted, single))
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-8)


@each("options", [{}, {"impute__numbers": ["mean", "median"]}])
@each("metric", ["accuracy", "log_loss"])
def test_the_same_candidates_are_chosen_together_and_alone(metric, options):
    task, tune = Task(3, 2, tune_metric=metric), STRENGTHS | options
    for seed in range(4):
        table, y = rows(90, seed)
        together, alone = (
            fit_method(method(kind, tune), table, y, task, seed)
            for kind in (LogisticRegression, Alone)
        )
        assert together.chosen == alone.chosen
        pairs = [[one.params for one in fit.candidates] for fit in (together, alone)]
        assert pairs[0] == pairs[1]
        means = [[one.mean for one in fit.candidates] for fit in (together, alone)]
        np.testing.assert_allclose(*means, rtol=1e-2)  # they are compared at a coarse tolerance
        ours, theirs = (fit.predict(table)[2] for fit in (together, alone))
        np.testing.assert_array_equal(ours, theirs)  # the last fit is the same one


def test_tuning_asks_fit_many_once(monkeypatch):
    table, y = rows()
    calls = []
    fit_many = LogisticRegression.fit_many

    def counted(self, X, y, folds, params, scaling=None):
        calls.append((len(folds), len(params)))
        return fit_many(self, X, y, folds, params, scaling)

    monkeypatch.setattr(LogisticRegression, "fit_many", counted)
    fit_method(method(LogisticRegression, STRENGTHS), table, y, TASK, 1)
    assert calls == [(5, 4)]


def test_folds_are_transformed_separately_if_a_level_occurs_in_one_fold_only():
    table, y = rows()
    folds = [np.arange(4), np.arange(4, 60)]  # the rare level is in the first
    assert shared_transforms(STEPS, table, held_out(y)) is not None
    assert shared_transforms(STEPS, table, folds) is None
    with pytest.raises(NotApplicable, match="transforms"):
        fitting.fit_folds(method(LogisticRegression), table, y, folds, TASK)


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


def fits_of(tmp_path, name, plan, seconds=60):
    entry = {"classifier": name, "transforms": ["impute", "one_hot", "standardize"]}
    task = {"n_classes": 3, "positive": 2, "inner_folds": 2}
    limits = LIMITS | {"fit_seconds": seconds}
    return run_alone(entry, rows_file(tmp_path, *rows()), Plan.of(plan), task, limits)


@pytest.mark.usefixtures("in_process")
def test_fits_solved_together_share_their_time_equally(tmp_path):
    plan = {("cv", 0): stratified_folds(rows()[1], 5, 4)}
    fits = fits_of(tmp_path, "linclass.LinearDiscriminantAnalysis", plan).fits
    assert len(fits) == 5
    assert len({fit["fit_seconds"] for fit in fits}) == 1
    assert {fit["status"] for fit in fits} == {"converged"}
    assert len({fit["seed"] for fit in fits}) == 5


@pytest.mark.usefixtures("in_process")
def test_a_failing_fold_does_not_affect_the_others(tmp_path):
    """The first fold leaves two classes, the second only one: only the second fit fails."""
    _, y = rows()
    folds = [y == 0, y != 1, np.arange(len(y)) < 40]
    plan = {("cv", repeat): np.where(test, 0, -1) for repeat, test in enumerate(folds)}
    found = fits_of(tmp_path, "linclass.LogisticRegression", plan)
    assert [fit["status"] for fit in found.fits] == ["converged", "not_applicable", "converged"]
    assert found.table()["repeat"].unique().sort().to_list() == [0, 2]


@pytest.mark.parametrize("name", ["DiesTogether", "HangsTogether", "FailsTogether"])
def test_folds_of_a_crashed_joint_fit_are_fitted_alone(tmp_path, name):
    plan = {("cv", 0): stratified_folds(rows()[1], 5, 4)}
    fits = fits_of(tmp_path, f"odd_estimators.{name}", plan, seconds=3).fits
    assert {fit["status"] for fit in fits} == {"converged"}


def test_joint_fits_count_no_code_of_other_classifiers():
    entry = {"classifier": "linclass.LogisticRegression"}
    counted, _ = code.closure([], code.modules_of_method(entry, "accuracy"))
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
