"""Fitting a method to the training rows of one fold, of several folds at once, or of all rows but one."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass.base.arrays import EstimatorLike
from linclass.base.messages import NotApplicable
from linclass.base.predicted import is_ours, predictions_from
from linclass.base.tables import Table
from linclass.tuning import selection
from linclass_study.pipeline import coefficients
from linclass_study.pipeline.fitted import Candidate, Fitted, Prediction, Task, decided, measured
from linclass_study.pipeline.foreign_steps import require_numbers
from linclass_study.pipeline.method import Method, parameters
from linclass_study.pipeline.transforming import TransformedRows, fit_transforms, rows_of_folds
from linclass_study.pipeline.tuned_parameters import (
    candidates_of,
    fit_estimator,
    fits_together,
    rows_for,
    select_parameters,
)


def fit_method(
    method: Method,
    table: Table,
    y: np.ndarray,
    task: Task,
    seed: int,
    groups: np.ndarray | None = None,
) -> Fitted:
    """Fit a method to training rows; tuned parameters are selected first.

    Tuning keeps the rows of a group in one fold; an estimator gets the groups if its `fit` has the parameter `groups`.
    """
    require_costs(method, task)
    chosen: dict[str, Any] = {}
    candidates: tuple[Candidate, ...] = ()
    if method.tune:
        choice = select_parameters(method, table, y, task, seed, groups)
        chosen, candidates = choice.option, candidates_of(choice, task)
    transforms, ready, estimator = prepared(method, table, y, seed, chosen)
    fit_estimator(estimator, rows_for(estimator, ready), y, groups, method.classes)
    return Fitted(method, task, chosen, transforms, estimator, candidates)


def prepared(
    method: Method, table: Table, y: np.ndarray, seed: int, chosen: Mapping[str, Any]
) -> tuple[list[Any], Table, Any]:
    """(the fitted transforms, the training rows after them, the classifier that has yet to learn)."""
    transforms, ready = fit_transforms(method.with_options(chosen).transforms, table, y, seed)
    estimator = method.estimator(seed, **chosen)
    require_numbers(ready, estimator)
    return transforms, ready, estimator


def fit_folds(
    method: Method, table: Table, y: np.ndarray, held_out: list[np.ndarray], task: Task
) -> list[Fitted]:
    """`fit_method` on the training rows of all folds at once, for a deterministic method without tuning.

    Raises NotApplicable if the folds have nothing to share: fit them one by one.
    """
    require_costs(method, task)
    if method.tune:
        raise NotApplicable("each fold has its own tuning")
    shared, fits = fits_together(method, [{}], table, y, held_out, None, strictly=True)
    return [Fitted(method, task, {}, shared.transforms(k), fit) for k, (fit,) in enumerate(fits)]


def require_costs(method: Method, task: Task) -> None:
    if method.by_costs and task.costs is None:
        lacks = "'decide: costs' needs costs, but the data set has none"
        raise NotApplicable(f"{lacks}; add 'costs:' to its entry")


# Leave-one-out and leave-one-group-out cross-validation, exactly and at the least cost.
#
# The first of these that the method permits:
#
# 1. many models at once from shared computations (`fitting.fit_folds`); without tuning
# 2. one fit after another, tuned inside each training set
#
# Both give the result of separate fits, the transforms and the tuning included.

AT_ONCE = 256  # models in memory at once

# rows, their model, predictions, seconds to predict
Part = tuple[np.ndarray, Fitted, Prediction, float]


def leave_one_out(
    method: Method,
    table: Table,
    y: np.ndarray,
    units: np.ndarray,
    task: Task,
    seed: int,
    groups: np.ndarray | None = None,
) -> Iterator[Part]:
    """The predictions for leave_one_out unit (row or group) by the model of all other units; every row once."""
    order = np.argsort(units, kind="stable")
    held_out = np.split(order, np.flatnonzero(np.diff(units[order])) + 1)
    for begin in range(0, len(held_out), AT_ONCE):
        held_out_at_once = held_out[begin : begin + AT_ONCE]
        joint_fits = _or_none(fit_folds, method, table, y, held_out_at_once, task)
        for number, rows in enumerate(held_out_at_once):
            if joint_fits is not None:
                fitted = joint_fits[number]
            else:
                others = np.delete(np.arange(len(y)), rows)
                members = None if groups is None else groups[others]
                fitted = fit_method(method, table.rows(others), y[others], task, seed, members)
            clock = time.perf_counter()
            predicted = fitted.predict(table.rows(rows))
            yield rows, fitted, predicted, time.perf_counter() - clock


def _or_none(shortcut: Any, *arguments: Any) -> Any:
    """The result of a shortcut, or None if it fails; separate fits then raise the error, if there is one."""
    try:
        return shortcut(*arguments)
    except Exception:
        return None


# Predictions of held-out rows by the fits of their folds, of many folds at once.
#
# Small folds cost calls rather than arithmetic, so classifiers with `_scores_of_stack` score the rows of several folds
# together. Other folds, and those with scores that are not finite, are predicted one by one.

FIRST = coefficients.COMPARED_ROWS
STACK = 200_000  # numbers in the rows that are predicted at once: more leave the cache, fewer cost calls


@dataclass(frozen=True)
class FoldPrediction:
    """Predictions of the held-out rows of a fold; the first few rows are kept as they reached the classifier."""

    first: Table
    prediction: Prediction


def predict_held_out(fitted: Fitted, table: Table, rows: np.ndarray) -> FoldPrediction:
    ready = fitted.ready(table.rows(rows))
    first = ready.rows(np.arange(min(FIRST, len(rows))))
    return FoldPrediction(first, fitted.predict_transformed(ready))


def predict_folds(
    fits: Sequence[Fitted], table: Table, folds: Sequence[np.ndarray]
) -> list[FoldPrediction | None]:
    """`predict_held_out` of each fold, by fits of one method; None where it raises: that fold is then fitted alone."""

    def one_by_one(part: slice) -> list[FoldPrediction | None]:
        pairs = zip(fits[part], folds[part], strict=True)
        return [_or_none(predict_held_out, fitted, table, rows) for fitted, rows in pairs]

    estimators = [fitted.estimator for fitted in fits]
    kind, classes = type(estimators[0]), estimators[0].classes_
    same = all(type(e) is kind and np.array_equal(e.classes_, classes) for e in estimators)
    shared = None
    if same and hasattr(kind, "_scores_of_stack") and is_ours(estimators[0]):
        shared = rows_of_folds(table, [fitted.transforms for fitted in fits])
    if shared is None or shared.table.is_sparse:
        return one_by_one(slice(None))
    at_once = max(1, STACK // max(1, shared.table.shape[1] * max(map(len, folds))))
    predictions: list[FoldPrediction | None] = []
    for begin in range(0, len(fits), at_once):
        part = slice(begin, begin + at_once)
        predictions += _stacked(fits[part], shared.of_folds(part), folds[part]) or one_by_one(part)
    return predictions


def _stacked(
    fits: Sequence[Fitted], shared: TransformedRows, folds: Sequence[np.ndarray]
) -> list[FoldPrediction] | None:
    """The folds at once, or None."""
    one, estimators = fits[0], [fitted.estimator for fitted in fits]
    rows = np.empty((len(folds), max(map(len, folds))), dtype=np.intp)
    for row, fold in zip(rows, folds, strict=True):  # shorter folds repeat their first row
        row[: len(fold)], row[len(fold) :] = fold, fold[0]
    X = shared.table.X.take(rows, axis=0)
    first = X[:, :FIRST].copy()
    if shared.scaling is not None:
        shift, scale = map(np.array, zip(*shared.scaling, strict=True))
        first = (first - shift[:, None]) / scale[:, None]
    Z = type(one.estimator)._scores_of_stack(estimators, X, shared.scaling)
    flat = Z.reshape(rows.size, *Z.shape[2:])
    predicted = predictions_from(one.estimator, flat, one.task.n_classes)
    if predicted is None:
        return None
    codes, score, log_proba = decided(predicted, one.method, one.task)
    predictions = []
    for k, fold in enumerate(folds):
        part = slice(k * rows.shape[1], k * rows.shape[1] + len(fold))
        logs = None if log_proba is None else log_proba[part]
        first_rows = shared.table.with_rows(first[k, : len(fold)])
        predictions.append(FoldPrediction(first_rows, (codes[part], score[part], logs)))
    return predictions


# The steps of a solver (`trace`) and the coefficients along a path of strengths (`path`), for one fit of a run.
#
# Both need additional fits, after the parameters are selected, so they change no prediction. Only classifiers of
# linclass have them.

STRENGTHS = 20  # strengths of a path, at least
EACH = 30  # first steps, after each of which the held-out rows are scored
EVERY = 1.1  # ratio of the step numbers at which they are scored later
# of X, up to which an untimed fit comes first, as the first of a process is slower
MAX_WARM_UP_ENTRIES = 1_000_000


def solver_trace(
    method: Method,
    table: Table,
    y: np.ndarray,
    held_out: tuple[Table, np.ndarray],
    task: Task,
    seed: int,
    chosen: Mapping[str, Any],
) -> list[dict[str, Any]] | None:
    """The steps of a solver as in `trace_`; `watched` is the tune_metric on the held-out rows, computed after the first
    steps and then at growing intervals.
    """
    if "trace" not in parameters(method.classifier):
        return None
    transforms, training, estimator = prepared(method, table, y, seed, chosen)
    if not is_ours(estimator):
        return None
    rows, y_held_out = held_out
    rows = Fitted(method, task, {}, transforms, estimator).ready(rows)
    calls = scored = 0

    def watch(model: EstimatorLike) -> float | None:
        nonlocal calls, scored
        calls += 1
        if calls > EACH and calls < EACH * EVERY ** (scored - EACH + 1):
            return None
        scored += 1
        fitted = Fitted(method, task, {}, transforms, model)
        return measured(fitted.predict_transformed(rows), y_held_out, task)

    if training.X.size <= MAX_WARM_UP_ENTRIES:
        prepared(method, table, y, seed, chosen)[2].fit(rows_for(estimator, training), y)
    estimator.trace = watch
    estimator.fit(rows_for(estimator, training), y)
    return getattr(estimator, "trace_", None)


def coefficient_path(
    method: Method, table: Table, y: np.ndarray, seed: int, chosen: Mapping[str, Any]
) -> list[tuple[float, coefficients.Coefficients]] | None:
    """(strength, coefficients) over the tuned strengths, with the other parameters as selected."""
    if "strength" not in method.tune or not callable(getattr(method.classifier, "path", None)):
        return None
    transforms, ready, estimator = prepared(method, table, y, seed, chosen)
    if not is_ours(estimator) or not hasattr(estimator, "boundary"):  # kernel machines have none
        return None
    rows, spec = rows_for(estimator, ready), method.tune["strength"]
    tuned = (
        estimator.strength_path(rows, y)
        if selection.is_path(spec)
        else selection.listed_values(spec)
    )
    grid = sorted({float(strength) for strength in tuned if strength > 0})
    if len(grid) < 2:
        return None
    parts = -(-STRENGTHS // (len(grid) - 1))  # with enough strengths in between for a path
    strengths = grid[:1]
    for low, high in itertools.pairwise(grid):
        strengths += [*np.geomspace(low, high, parts + 1)[1:-1].tolist(), high]
    models = zip(strengths, estimator.path(rows, y, strengths), strict=True)
    path = ((one, coefficients.of_fit(model, transforms, ready)) for one, model in models)
    return [(strength, weights) for strength, weights in path if weights]
