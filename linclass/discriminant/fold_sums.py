"""Sums over all rows but those of a fold, for every fold; moments with one pass over the rows for each partition.

About an origin m⁰_k near the mean of each class, sums s = Σ w d and squares Q = Σ w d dᵀ of the deviations
d = x − m⁰ are additive, so without those of a fold
    n = n_all − n_fold,   s = s_all − s_fold,   m = m⁰ + s/n,   S = Q_all − Q_fold − s sᵀ/n.
Disjoint folds and the remaining rows form a partition of all rows; the first partition gives the totals, too.
A far origin or far classes cause no cancellation, because m⁰ depends on the class.

Sums and squares of single features are one sparse product, the indicators of fold and class times d and d², for
all folds in one pass over the rows. Products of features are a Gram matrix for each fold, of its rows
√w [d, indicators of the classes], which contains squares, sums and weights at once:
    AᵀA = [Σ w d dᵀ, Σ_k w d; (Σ_k w d)ᵀ, diag n_k].

A difference keeps the rounding error of the total. If a fold holds nearly all the variance of a feature, by an
outlier or by the only rows of an indicator, the difference is rounding error alone. It is then recomputed from the
rows: the feature, or the whole fold if the form has products of features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import BLOCK, Array, Index, Matrix
from linclass.discriminant.class_moments import BY_FEATURE, BY_ROWS, ClassMoments

HeldOut = Sequence[Array]  # rows of each fold
Parts = tuple[Array, Array, Array]  # for each fold: weight (F, K), sums (F, K, d), squares (F, …)
STACK = 60_000  # numbers in the scatters of the folds that are computed together
MAX_UNSHIFTED_ENTRIES = 4_000_000  # numbers up to which deviations are kept for the next partition


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
    begin = 0
    for total, stack in _subtracted(X, codes, weights, K, form, folds):
        lost = stack.lost(total)
        for j in np.flatnonzero(lost.any(axis=-1)).tolist():
            own = lost[j] if form in BY_FEATURE else slice(None)
            stack.replace_features(j, own, gathered(folds[begin + j], own))
        yield stack
        begin += len(stack.mass)


def _subtracted(
    X: Matrix, codes: Array, weights: Array, K: int, form: str, folds: HeldOut
) -> Iterator[tuple[ClassMoments, ClassMoments]]:
    """(the moments of all rows, those without each fold): stacks of many folds, of sparse rows of one."""
    if sp.issparse(X):
        total = ClassMoments.of(X, codes, weights, K, form)
        for rows in folds:
            yield total, (total - total.of_part(X[rows], codes[rows], weights[rows])).stacked()
        return
    first, rest = _disjoint(folds, len(X))
    everything = ClassifiedRows(X, codes, weights, K, form, again=first < len(folds))
    disjoint = [*folds[:first], rest] if len(rest) else folds[:first]
    masses, sums, squares = everything.sums_of(disjoint)
    own_sums = sums.sum(axis=0)
    total = ClassMoments(form, masses.sum(axis=0), everything.origin, squares.sum(axis=0))
    at_once = max(1, STACK // max(total.scatter.size, own_sums.size))
    for begin in range(0, first, at_once):
        some = slice(begin, min(begin + at_once, first))
        yield total, total.without(masses[some], sums[some], squares[some], own_sums)
    for begin in range(first, len(folds), at_once):
        masses, sums, squares = everything.sums_of(folds[begin : begin + at_once])
        yield total, total.without(masses, sums, squares, own_sums)


def _disjoint(folds: Sequence[Array], n: int) -> tuple[int, Array]:
    """(how many of the first folds are disjoint, the rows that are in none of them)."""
    seen = np.zeros(n, dtype=bool)
    for count, rows in enumerate(folds):
        if seen[rows].any():
            return count, np.flatnonzero(~seen)
        seen[rows] = True
    return len(folds), np.flatnonzero(~seen)


class ClassifiedRows:
    """Rows with classes and weights, and the origin of each class."""

    def __init__(self, X: Array, codes: Array, weights: Array, K: int, form: str, again: bool):
        """`again`: rows are in more than one fold, so their deviations are kept."""
        self.X, self.codes, self.K, self.form = X, codes, K, form
        self.weights = weights
        self.roots = None if (weights == 1).all() else np.sqrt(weights)[:, None]
        self.origin = np.zeros((K, X.shape[1]))
        mass = np.zeros(K)
        for some in self._blocks():
            belongs = self._indicators(some) * weights[some, None]
            mass += belongs.sum(axis=0)
            self.origin += belongs.T @ X[some]
        self.origin /= np.where(mass > 0, mass, 1)[:, None]
        keep = again and form in ("tied", "full") and X.size <= MAX_UNSHIFTED_ENTRIES
        self.kept = self._with_classes(slice(None)) if keep else None

    def sums_of(self, folds: Sequence[Array]) -> Parts:
        """Weights, sums and squares, in the form of the moments, of the rows of each fold."""
        d = self.X.shape[1]
        if self.form == "tied":
            G = np.stack([self._gram(rows) for rows in folds])
            return np.diagonal(G[:, d:, d:], axis1=1, axis2=2), G[:, d:, :d], G[:, :d, :d]
        if self.form == "full":
            G = np.empty((len(folds), self.K, d + 1, d + 1))
            for own, rows in zip(G, folds, strict=True):
                for k in range(self.K):
                    own[k] = self._gram(rows[self.codes[rows] == k])
            return G[..., d, d], G[..., d, :d], G[..., :d, :d]
        F, K, members = len(folds), self.K, np.concatenate(folds)
        weights, squared = self.weights[members], self.form == "diagonal"
        group = np.repeat(np.arange(F), [*map(len, folds)]) * K + self.codes[members]
        belongs = sp.csc_array((weights, (group, members)), shape=(F * K, len(self.X)))
        sums = np.zeros((F * K, 2 * d if squared else d))
        for some in self._blocks():
            D = self.X[some] - self.origin[self.codes[some]]
            sums += belongs[:, some] @ (np.hstack([D, D * D]) if squared else D)
        mass = np.bincount(group, weights, F * K).reshape(F, K)
        sums = sums.reshape(F, K, -1)
        return mass, sums[..., :d], sums[..., d:]

    def _blocks(self) -> list[slice]:
        return [slice(begin, begin + BLOCK) for begin in range(0, len(self.X), BLOCK)]

    def _indicators(self, rows: Index) -> Array:
        """(n, K): 1 in the class of a row."""
        codes = self.codes[rows]
        belongs = np.zeros((len(codes), self.K))
        belongs[np.arange(len(codes)), codes] = 1
        return belongs

    def _with_classes(self, rows: Index) -> Array:
        """√w [d, indicators of the classes], or √w [d, 1] of rows of one class."""
        D = self.X[rows] - self.origin[self.codes[rows]]
        A = np.hstack([D, self._indicators(rows) if self.form == "tied" else np.ones((len(D), 1))])
        return A if self.roots is None else np.multiply(A, self.roots[rows], out=A)

    def _gram(self, rows: Array) -> Array:
        """AᵀA of some rows (syrk: half the work)."""
        if self.kept is not None:
            A = self.kept.take(rows, axis=0)
            return A.T @ A
        width = self.X.shape[1] + (self.K if self.form == "tied" else 1)
        G = np.zeros((width, width))
        for begin in range(0, len(rows), BLOCK):
            A = self._with_classes(rows[begin : begin + BLOCK])
            G += A.T @ A
        return G
