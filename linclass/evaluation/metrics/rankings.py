"""Metrics of the order of the scores: the areas under the ROC and precision–recall curves.

TP(s) and FP(s) are the numbers of rows of a class, P in all, and of others, N in all, with a score of at least s; rows
with equal scores are one point.

    auc                  ∫ TP dFP / (P N) by trapezoids: the probability that a row of the class scores higher than a
                         row of another, ties half; NaN where all rows are of one class
    average_precision    Σ_i (R_i − R_{i−1}) P_i, with R = TP/P and P = TP/(TP + FP) at the i-th score from the top: the
                         precision–recall curve as a step function, as linear interpolation would overestimate it; NaN
                         if no row is of the class, and by guessing the frequency of the class

Two classes: of the positive one. More: the mean over the classes that have rows, each against the rest, by its
probability if the model has probabilities, since the scores of such models are determined only up to a constant of each
row.   Hanley & McNeil (1982); Davis & Goadrich (2006); Fawcett (2006), Pattern Recognition Letters 27
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from linclass.evaluation.metrics.predictions import Array, Metric, Predictions, defined_ratio


class Curve(NamedTuple):
    """true and false positives (…, n) at the score of each row, highest first; all positives and negatives (…)."""

    tp: Array
    fp: Array
    positives: Array
    negatives: Array


def curve(score: Array, member: Array, weight: Array | None = None) -> Curve:
    """The curve of scores (…, n) for the rows that are a `member` of the class; empty if a score is NaN."""
    n = score.shape[-1]
    if not n:
        nothing = np.zeros(score.shape[:-1])
        return Curve(score, score, nothing, nothing)
    order = np.argsort(-score, axis=-1)  # NaN comes last
    order += np.arange(0, score.size, n).reshape(*score.shape[:-1], 1)
    score, member = score.take(order), member.take(order)
    if weight is None:
        tp = np.cumsum(member, axis=-1)
        fp = np.arange(1, n + 1) - tp
    else:
        weight = weight.take(order)
        tp, fp = np.cumsum(weight * member, axis=-1), np.cumsum(weight * ~member, axis=-1)
    tied = score[..., :-1] == score[..., 1:]
    if tied.any():
        tp, fp = _at_last(tp, tied), _at_last(fp, tied)
    ordered = ~np.isnan(score[..., -1])
    return Curve(tp, fp, tp[..., -1] * ordered, fp[..., -1] * ordered)


def _at_last(count: Array, tied: Array) -> Array:
    """The counts (…, n) with that at the last of all rows of equal score in the place of each.

    Counts do not decrease, so it is the least count, from the row on, of a row that ends a tie.
    """
    ends = count.copy()
    ends[..., :-1][tied] = np.iinfo(np.int64).max if count.dtype.kind == "i" else np.inf
    return np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]


def curves(p: Predictions) -> list[Curve]:
    """Curve of the positive class, or of each class against the rest."""
    two = p.n_classes == 2
    S = p.score if two or p.log_proba is None else p.log_proba
    classes = [p.positive] if two else range(p.n_classes)
    return [curve(S[..., k], p.y_true == k, p.weight) for k in classes]


def mean_over_classes(p: Predictions, area: Callable[[Curve], Array]) -> Array:
    """Mean of an area over the classes for which it is defined."""
    each = np.array([area(found) for found in p.once(curves)])
    defined = ~np.isnan(each)
    return defined_ratio(np.where(defined, each, 0).sum(axis=0), defined.sum(axis=0))


def area_under_roc(found: Curve) -> Array:
    tp, fp, positives, negatives = found
    width, height = np.diff(fp, prepend=0), np.diff(tp, prepend=0)
    twice = (width * (2 * tp - height)).sum(axis=-1)
    return np.minimum(defined_ratio(twice, 2 * positives * negatives), 1)  # rounding of weights


def area_under_precision_recall(found: Curve) -> Array:
    tp, fp, positives, _ = found
    named = tp + fp
    precision = np.divide(tp, named, out=np.zeros(tp.shape), where=named > 0)
    precision *= np.diff(tp, prepend=0)
    return np.minimum(defined_ratio(precision.sum(axis=-1), positives), 1)  # rounding of weights


METRICS = {
    "auc": Metric(partial(mean_over_classes, area=area_under_roc)),
    "average_precision": Metric(partial(mean_over_classes, area=area_under_precision_recall)),
}
