"""Moments of all rows but those of a fold, for every fold, with one pass over the rows for each partition.

About an origin m⁰_k near the mean of each class, sums s = Σ w d and squares Q = Σ w d dᵀ of the deviations
d = x − m⁰ are additive, so without those of a fold
    n = n_all − n_fold,   s = s_all − s_fold,   m = m⁰ + s/n,   S = Q_all − Q_fold − s sᵀ/n.
Disjoint folds and the remaining rows form a partition of all rows; the first partition gives the totals, too.
A far origin or far classes cause no cancellation, because m⁰ depends on the class.

A difference keeps the rounding error of the total. If a fold holds nearly all the variance of a feature, by an
outlier or by the only rows of an indicator, the difference is rounding error alone. The moments of that fold are then
computed from its training rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Array, Matrix, chosen_rows
from linclass.discriminant.class_moments import BY_ROWS, ClassMoments

HeldOut = Sequence[Array]  # rows of each fold
SumsOf = Callable[[HeldOut], tuple[Array, Array, Array]]
BLOCK = 2048  # rows
SMALL = 500_000  # numbers in rows that are kept about their origin
STACK = 60_000  # numbers in the scatters of the folds that are computed together


class StackOfOne:
    """A stack of one, for sums that are not computed for several folds at once."""

    def __init__(self, statistics: Any):
        self.statistics, self.mass = statistics, statistics.mass[None]

    def split(self) -> list[Any]:
        return [self.statistics]

    def times(self, factor: Array) -> StackOfOne:
        return StackOfOne(self.statistics.times(factor[0]))

    def scaled(self, shift: Array, scale: Array) -> StackOfOne:
        return StackOfOne(self.statistics.scaled(shift[0], scale[0]))


def sums_left_out(
    gather: Callable[[Matrix, Array, Array, int], Any],
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
        yield (
            _gathered_again(gather, X, codes, weights, K, rows) if left.lost(total) else left
        ).stacked()


def _gathered_again(
    gather: Any, X: Matrix, codes: Array, weights: Array, K: int, rows: Array
) -> Any:
    kept = np.ones(len(codes), dtype=bool)
    kept[rows] = False
    return gather(X[kept], codes[kept], weights[kept], K)


def moments_left_out(
    X: Matrix, codes: Array, weights: Array, K: int, form: str, folds: HeldOut
) -> Iterator[ClassMoments]:
    """The moments, in this form, of the rows outside each of the folds: stacks of folds."""
    data = X, codes, weights, K

    def gather(X: Matrix, codes: Array, weights: Array, K: int) -> ClassMoments:
        return ClassMoments.of(X, codes, weights, K, form)

    if form in BY_ROWS:  # so few rows that no difference is needed
        for rows in folds:
            yield _gathered_again(gather, *data, rows).stacked()
        return
    if sp.issparse(X):
        yield from sums_left_out(gather, *data, folds)
        return
    mass = np.bincount(codes, weights, K)
    belongs = sp.csc_array((weights, codes, np.arange(len(codes) + 1)), (K, len(codes)))
    origin = belongs @ X / np.where(mass > 0, mass, 1)[:, None]
    by = _by_feature if form in ("means", "diagonal") else _by_products
    sums_of = by(X, codes, weights, origin, form)
    first, rest = _disjoint(folds, len(X))
    partition = sums_of([*folds[:first], rest])
    total_mass, own_sums, squares = (part.sum(axis=0) for part in partition)
    total = ClassMoments(form, total_mass, origin, squares)
    at_once = max(1, STACK // max(squares.size, own_sums.size))
    cuts = [*range(0, first, at_once), *range(first, len(folds), at_once), len(folds)]
    for begin, end in pairwise(cuts):
        some = slice(begin, end)
        parts = [part[some] for part in partition] if end <= first else sums_of(folds[some])
        stack = total.without(parts[0], parts[1], parts[2], own_sums)
        for j in np.flatnonzero(stack.lost(total)).tolist():
            again = _gathered_again(gather, *data, folds[begin + j])
            stack.mass[j], stack.mean[j] = again.mass, again.mean
            if form != "means":
                stack.scatter[j] = again.scatter
        yield stack


def _disjoint(folds: HeldOut, n: int) -> tuple[int, Array]:
    """(how many of the first folds are disjoint, the rows that are in none of them)."""
    seen = np.zeros(n, dtype=bool)
    for count, rows in enumerate(folds):
        if seen[rows].any():
            return count, np.flatnonzero(~seen)
        seen[rows] = True
    return len(folds), np.flatnonzero(~seen)


def _by_feature(X: Array, codes: Array, weights: Array, origin: Array, form: str) -> SumsOf:
    """(weights (F, K), Σ w d (F, K, d), Σ w d² (F, K, d) or none) of the rows of each fold: one sparse product."""
    (n, d), K = X.shape, len(origin)

    def sums_of(folds: HeldOut) -> tuple[Array, Array, Array]:
        F, members = len(folds), np.concatenate(folds)
        group = np.repeat(np.arange(F), [*map(len, folds)]) * K + codes[members]
        belongs = sp.csc_array((weights[members], (group, members)), (F * K, n))
        sums = np.zeros((F * K, d if form == "means" else 2 * d))
        for begin in range(0, n, BLOCK):
            some = slice(begin, begin + BLOCK)
            D = X[some] - origin[codes[some]]
            sums += belongs[:, some] @ (D if form == "means" else np.hstack([D, D * D]))
        mass = np.bincount(group, weights[members], F * K).reshape(F, K)
        by_class = sums.reshape(F, K, -1)
        return mass, by_class[..., :d], np.zeros((F, 0)) if form == "means" else by_class[..., d:]

    return sums_of


def _by_products(X: Array, codes: Array, weights: Array, origin: Array, form: str) -> SumsOf:
    """The same with Σ w d dᵀ, tied (F, d, d) or of each class (F, K, d, d): all are parts of the Gram matrix of the
    rows √w [d, 1], with an indicator of each class in place of 1 if it is tied.
    """
    d, K = X.shape[1], len(origin)
    beside, unit = np.eye(K) if form == "tied" else np.ones((K, 1)), bool((weights == 1).all())

    def beside_ones(rows: Any) -> Array:
        A = np.hstack([X[rows] - origin[codes[rows]], beside[codes[rows]]])
        return A if unit else np.multiply(A, np.sqrt(weights[rows])[:, None], out=A)

    kept = beside_ones(slice(None)) if X.size <= SMALL else None

    def gram(rows: Array) -> Array:
        if kept is not None:
            A = kept.take(rows, axis=0)
            return A.T @ A  # of a matrix with its transpose (syrk): half the work
        G = np.zeros((d + beside.shape[1],) * 2)
        for begin in range(0, len(rows), BLOCK):
            A = beside_ones(rows[begin : begin + BLOCK])
            G += A.T @ A
        return G

    def sums_of(folds: HeldOut) -> tuple[Array, Array, Array]:
        if form == "tied":
            G = np.array([gram(rows) for rows in folds])
            return np.diagonal(G[:, d:, d:], axis1=1, axis2=2), G[:, d:, :d], G[:, :d, :d]
        G = np.array([[gram(rows[codes[rows] == k]) for k in range(K)] for rows in folds])
        return G[..., d, d], G[..., d, :d], G[..., :d, :d]

    return sums_of
