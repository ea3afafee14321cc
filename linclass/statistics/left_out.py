"""Moments of all rows but a fold's, for every fold, reading the rows once for each dealing.

About an origin m⁰_k near the mean of each class, sums s = Σ w d and squares Q = Σ w d dᵀ of the
deviations d = x − m⁰ add up, so with those of a fold taken off,
    n = n_all − n_fold,   s = s_all − s_fold,   m = m⁰ + s/n,   S = Q_all − Q_fold − s sᵀ/n.
Folds that are disjoint, and the rows that they leave, make up all rows: the first dealing gives the
totals, too. A far origin or far classes cost no digits, because m⁰ is a class's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.statistics.class_moments import Array, ClassMoments, Matrix

BLOCK = 2048  # rows
SMALL = 4_000_000  # numbers: deviations of so few are kept for the next dealing
STACK = 60_000  # numbers in a stack of scatters
Part = tuple[Array, Array, Array]  # mass (K,), sums (K, d), squares


def left_out(
    X: Matrix, codes: Array, weights: Array, K: int, form: str, folds: Sequence[Array]
) -> Iterator[ClassMoments]:
    """The moments, in this form, of the rows that are not in each of the folds: stacks of folds."""
    if sp.issparse(X):
        total = ClassMoments.of(X, codes, weights, K, form)
        for rows in folds:
            part = ClassMoments.of(X[rows], codes[rows], weights[rows], K, form)
            yield (total - part).stacked()
        return
    origin = _origin(X, codes, weights, K)
    measure = _Deviations(X, codes, weights, origin, form)
    if sum(map(len, folds)) > len(X) and X.size <= SMALL:
        measure.keep()
    first = _disjoint(folds, len(X))
    parts = [measure(rows) for rows in folds[:first]]
    rest = np.ones(len(X), dtype=bool)
    for rows in folds[:first]:
        rest[rows] = False
    whole = [*parts, measure(np.flatnonzero(rest))] if rest.any() else parts
    mass, sums, squares = (np.sum(values, axis=0) for values in zip(*whole, strict=True))
    total = ClassMoments(form, mass, origin, squares)
    at_once = max(1, STACK // max(squares.size, origin.size))
    for begin in range(0, len(folds), at_once):
        some = range(begin, min(begin + at_once, len(folds)))
        found = [parts[j] if j < first else measure(folds[j]) for j in some]
        of_mass, of_sums, of_squares = map(np.array, zip(*found, strict=True))
        if form == "means":
            of_squares = squares
        yield total.without(of_mass, of_sums, of_squares, sums)


def _origin(X: Array, codes: Array, weights: Array, K: int) -> Array:
    """The mean of each class, as one sum gives it."""
    mass, sums = np.zeros(K), np.zeros((K, X.shape[1]))
    for begin in range(0, len(X), BLOCK):
        some = slice(begin, begin + BLOCK)
        belongs = _belongs(codes[some], weights[some], K)
        mass += belongs.sum(axis=1)
        sums += belongs @ X[some]
    return sums / np.where(mass > 0, mass, 1)[:, None]


def _disjoint(folds: Sequence[Array], n: int) -> int:
    """How many folds from the first have no row in common."""
    seen = np.zeros(n, dtype=bool)
    for count, rows in enumerate(folds):
        if seen[rows].any():
            return count
        seen[rows] = True
    return len(folds)


class _Deviations:
    """(mass, sums, squares) of x − m⁰ over some rows, a block at a time."""

    def __init__(self, X: Array, codes: Array, weights: Array, origin: Array, form: str):
        self.X, self.codes, self.origin, self.form = X, codes, origin, form
        self.weights = None if (weights == 1).all() else weights
        self.kept: Array | None = None

    def keep(self) -> None:
        """Work the deviations of all rows out once."""
        self.kept = self.X - self.origin[self.codes]
        w = 1.0 if self.weights is None else self.weights
        self.belongs = _belongs(self.codes, w, len(self.origin)).T.copy()

    def __call__(self, rows: Array) -> Part:
        if self.form == "full":
            return self._class_by_class(rows)
        mass, sums, squares = self._block(rows[:BLOCK])
        for begin in range(BLOCK, len(rows), BLOCK):
            more = self._block(rows[begin : begin + BLOCK])
            mass, sums, squares = mass + more[0], sums + more[1], squares + more[2]
        return mass, sums, squares

    def _block(self, rows: Array) -> Part:
        w = None if self.weights is None else self.weights[rows]
        if self.kept is not None:
            D, belongs = self.kept[rows], self.belongs[rows].T
        else:
            k = self.codes[rows]
            D = self.X[rows]
            D -= self.origin[k]
            belongs = _belongs(k, 1.0 if w is None else w, len(self.origin))
        return belongs.sum(axis=1), belongs @ D, _GATHERED[self.form](D, w, belongs)

    def _class_by_class(self, rows: Array) -> Part:
        k = self.codes[rows]
        parts = [self._of_class(rows[k == j], j) for j in range(len(self.origin))]
        mass, sums, squares = zip(*parts, strict=True)
        return np.array(mass), np.array(sums), np.array(squares)

    def _of_class(self, rows: Array, j: int) -> tuple[float, Array, Array]:
        if len(rows) > BLOCK:
            halves = np.array_split(rows, 2)
            first, rest = (self._of_class(half, j) for half in halves)
            return first[0] + rest[0], first[1] + rest[1], first[2] + rest[2]
        if self.kept is not None:
            D = self.kept[rows]
        else:
            D = self.X[rows]
            D -= self.origin[j]
        if self.weights is None:
            return float(len(rows)), np.ones(len(rows)) @ D, _outer(D, None, None)
        w = self.weights[rows]
        return w.sum(), w @ D, _outer(D, w, None)


def _belongs(codes: Array, weights: Any, K: int) -> Array:
    """(K, n): the weight of each row in its class, 0 in the others."""
    belongs = np.zeros((K, len(codes)))
    belongs[codes, np.arange(len(codes))] = weights
    return belongs


def _outer(D: Array, w: Array | None, belongs: Array | None) -> Array:
    if w is not None:
        D = D * np.sqrt(w)[:, None]
    return D.T @ D  # one matrix on both sides: half the work (syrk)


_GATHERED: dict[str, Callable[..., Array]] = {
    "means": lambda D, w, belongs: np.zeros(0),
    "diagonal": lambda D, w, belongs: belongs @ np.square(D, out=D),
    "tied": _outer,
}
