"""The points of the ROC and precision–recall curves.

TP(s) and FP(s) are the numbers of rows of the class, and of the others, with a score of at least s; rows with equal
scores are one point. Two classes: of the positive one. More: of each class against the rest, by its probability if the
model has probabilities, since the scores of such models are determined only up to a constant of each row.
Fawcett (2006), Pattern Recognition Letters 27
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from linclass.evaluation.metrics.predictions import Array, Predictions, defined_ratio


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
    """Of the positive class, or of each class against the rest."""
    two = p.n_classes == 2
    S = p.score if two or p.log_proba is None else p.log_proba
    classes = [p.positive] if two else range(p.n_classes)
    return [curve(S[..., k], p.y_true == k, p.weight) for k in classes]


def mean_over_classes(p: Predictions, area: Callable[[Curve], Array]) -> Array:
    """Of the classes for which it is defined."""
    each = np.array([area(found) for found in p.once(curves)])
    defined = ~np.isnan(each)
    return defined_ratio(np.where(defined, each, 0).sum(axis=0), defined.sum(axis=0))
