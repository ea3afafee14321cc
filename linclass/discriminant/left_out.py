"""Sums over all rows but those of a fold, for every fold; moments with one pass over the rows for each partition.

About an origin m⁰_k near the mean of each class, sums s = Σ w d and squares Q = Σ w d dᵀ of the deviations
d = x − m⁰ are additive, so without those of a fold
    n = n_all − n_fold,   s = s_all − s_fold,   m = m⁰ + s/n,   S = Q_all − Q_fold − s sᵀ/n.
Disjoint folds and the remaining rows form a partition of all rows; the first partition gives the totals, too.
A far origin or far classes cause no cancellation, because m⁰ depends on the class.

A difference keeps the rounding error of the total. If a fold holds nearly all the variance of a feature, by an
outlier or by the only rows of an indicator, the difference is rounding error alone. It is then recomputed from the
rows: the feature, or the whole fold if the form has products of features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Array, Matrix, chosen_rows
from linclass.discriminant.statistics.additive import Additive
from linclass.discriminant.statistics.class_moments import BY_FEATURE, BY_ROWS, ClassMoments
from linclass.discriminant.statistics.fold_sums import FORMS, ClassifiedRows

HeldOut = Sequence[Array]  # rows of each fold
Sums = TypeVar("Sums", bound=Additive)
STACK = 60_000  # numbers in the scatters of the folds that are computed together


def sums_left_out(
    gather: Callable[[Matrix, Array, Array, int], Sums],
    X: Matrix,
    codes: Array,
    weights: Array,
    K: int,
    folds: HeldOut,
) -> Iterator[Any]:
    """The sums that `gather` takes, over the rows outside each of the folds: stacks of folds.

    They are the total minus the part. If that cancels too many digits, the rows are summed again.
    """
    total = gather(X, codes, weights, K)
    for rows in folds:
        left = total - total.of_part(chosen_rows(X, rows), codes[rows], weights[rows])
        if left.lost(total):
            kept = np.ones(len(codes), dtype=bool)
            kept[rows] = False
            left = gather(X[kept], codes[kept], weights[kept], K)
        yield left.stacked()


def moments_left_out(
    X: Matrix, codes: Array, weights: Array, K: int, form: str, folds: HeldOut
) -> Iterator[ClassMoments]:
    """The moments, in this form, of the rows outside each of the folds: stacks of folds."""

    def gathered(rows: Array, columns: Any = slice(None)) -> ClassMoments:
        kept = np.ones(len(codes), dtype=bool)
        kept[rows] = False
        return ClassMoments.of(X[kept][:, columns], codes[kept], weights[kept], K, form)

    if form in BY_ROWS:  # so few rows that no difference is needed
        for rows in folds:
            yield gathered(rows).stacked()
        return
    subtracted = _of_sparse if sp.issparse(X) else _of_dense
    begin = 0
    for total, stack in subtracted(X, codes, weights, K, form, folds):
        lost = stack.lost(total)
        for j in np.flatnonzero(lost.any(axis=-1)).tolist():
            own = lost[j] if form in BY_FEATURE else slice(None)
            stack.replace_features(j, own, gathered(folds[begin + j], own))
        yield stack
        begin += len(stack.mass)


def _of_sparse(
    X: Matrix, codes: Array, weights: Array, K: int, form: str, folds: HeldOut
) -> Iterator[tuple[ClassMoments, ClassMoments]]:
    """(the moments of all rows, those without each fold): stacks of one."""
    total = ClassMoments.of(X, codes, weights, K, form)
    for rows in folds:
        part = ClassMoments.of(X[rows], codes[rows], weights[rows], K, form)
        yield total, (total - part).stacked()


def _of_dense(
    X: Matrix, codes: Array, weights: Array, K: int, form: str, folds: HeldOut
) -> Iterator[tuple[ClassMoments, ClassMoments]]:
    """The same, in stacks of many folds."""
    first, rest = _disjoint(folds, len(X))
    everything = ClassifiedRows(X, codes, weights, K, again=first < len(folds))
    measure = FORMS[form](everything)
    masses, sums, squares = measure([*folds[:first], rest] if len(rest) else folds[:first])
    own_sums = sums.sum(axis=0)
    total = ClassMoments(form, masses.sum(axis=0), everything.origin, squares.sum(axis=0))
    at_once = max(1, STACK // max(total.scatter.size, own_sums.size))
    for begin in range(0, first, at_once):
        some = slice(begin, min(begin + at_once, first))
        yield total, total.without(masses[some], sums[some], squares[some], own_sums)
    for begin in range(first, len(folds), at_once):
        masses, sums, squares = measure(folds[begin : begin + at_once])
        yield total, total.without(masses, sums, squares, own_sums)


def _disjoint(folds: Sequence[Array], n: int) -> tuple[int, Array]:
    """(how many of the first folds are disjoint, the rows that are in none of them)."""
    seen = np.zeros(n, dtype=bool)
    for count, rows in enumerate(folds):
        if seen[rows].any():
            return count, np.flatnonzero(~seen)
        seen[rows] = True
    return len(folds), np.flatnonzero(~seen)
