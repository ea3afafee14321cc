"""Predictions of held-out rows by the fits of their folds, of many folds at once.

Small folds cost calls rather than arithmetic, so the rows of several folds are stacked and scored together, where
classifiers can do so (`_scores_of_stack`). Other folds, and those with scores that are not finite, are predicted one by
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linclass.base.arrays import EstimatorLike
from linclass.base.predicted import is_ours, predictions_from
from linclass.base.tables import Table
from linclass_study.pipeline import coefficients
from linclass_study.pipeline.fitted import Fitted, Prediction, decided
from linclass_study.pipeline.transforming import TransformedRows, rows_of_folds

FIRST = coefficients.LOOK_AT
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
    """`predict_held_out` of each fold, by fits of one method; None where it raises."""
    together = _share_scores([fitted.estimator for fitted in fits])
    shared = rows_of_folds(table, [fitted.transforms for fitted in fits]) if together else None
    if shared is None or shared.table.is_sparse:
        return list(map(_or_none, fits, [table] * len(fits), folds))
    at_once = max(1, STACK // max(1, shared.table.shape[1] * max(map(len, folds))))
    found: list[FoldPrediction | None] = []
    for begin in range(0, len(fits), at_once):
        some = slice(begin, begin + at_once)
        stack = _stacked(fits[some], shared.of_folds(some), folds[some])
        found += stack or map(_or_none, fits[some], [table] * at_once, folds[some])
    return found


def _or_none(fitted: Fitted, table: Table, rows: np.ndarray) -> FoldPrediction | None:
    try:
        return predict_held_out(fitted, table, rows)
    except Exception:  # the fold will be fitted alone, and report why
        return None


def _share_scores(estimators: Sequence[EstimatorLike]) -> bool:
    kind, classes = type(estimators[0]), estimators[0].classes_
    if not (hasattr(kind, "_scores_of_stack") and is_ours(estimators[0])):
        return False
    return all(
        type(one) is kind and (one.classes_ is classes or np.array_equal(one.classes_, classes))
        for one in estimators
    )


def _stacked(
    fits: Sequence[Fitted], shared: TransformedRows, folds: Sequence[np.ndarray]
) -> list[FoldPrediction] | None:
    """The folds at once, or None."""
    one, estimators = fits[0], [fitted.estimator for fitted in fits]
    rows = _of_one_length(folds)
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
    found = []
    for k, fold in enumerate(folds):
        own = slice(k * rows.shape[1], k * rows.shape[1] + len(fold))
        known = None if log_proba is None else log_proba[own]
        few = shared.table.with_rows(first[k, : len(fold)])
        found.append(FoldPrediction(few, (codes[own], score[own], known)))
    return found


def _of_one_length(folds: Sequence[np.ndarray]) -> np.ndarray:
    """The row numbers (folds, n); shorter folds repeat their first row."""
    rows = np.empty((len(folds), max(map(len, folds))), dtype=np.intp)
    for own, fold in zip(rows, folds, strict=True):
        own[: len(fold)], own[len(fold) :] = fold, fold[0]
    return rows
