"""Moments of all rows but a fold's, for every fold, reading the rows once for each dealing.

About an origin m⁰_k near the mean of each class, sums s = Σ w d and squares Q = Σ w d dᵀ of the
deviations d = x − m⁰ add up, so with those of a fold taken off,
    n = n_all − n_fold,   s = s_all − s_fold,   m = m⁰ + s/n,   S = Q_all − Q_fold − s sᵀ/n.
Folds that are disjoint, and the rows that they leave, make up all rows: the first dealing gives the
totals, too. A far origin or far classes cost no digits, because m⁰ is a class's own.

A difference keeps the rounding of what it was taken from: a fold that holds nearly all the spread
of a feature, by an outlier or by the only rows of an indicator, leaves nothing but that. What is so
lost is gathered anew from the rows themselves: the feature, or the fold where features meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.statistics.class_moments import BY_FEATURE, Array, ClassMoments, Matrix
from linclass.statistics.fold_sums import FORMS, Rows

STACK = 60_000  # numbers in a stack of scatters


def left_out(
    X: Matrix, codes: Array, weights: Array, K: int, form: str, folds: Sequence[Array]
) -> Iterator[ClassMoments]:
    """The moments, in this form, of the rows that are not in each of the folds: stacks of folds."""

    def gathered(rows: Array, columns: Any = slice(None)) -> ClassMoments:
        kept = np.ones(len(codes), dtype=bool)
        kept[rows] = False
        return ClassMoments.of(X[kept][:, columns], codes[kept], weights[kept], K, form)

    if form == "rows":  # too few to be worth a difference
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
    X: Matrix, codes: Array, weights: Array, K: int, form: str, folds: Sequence[Array]
) -> Iterator[tuple[ClassMoments, ClassMoments]]:
    """(the moments of all rows, those without each fold): stacks of one."""
    total = ClassMoments.of(X, codes, weights, K, form)
    for rows in folds:
        part = ClassMoments.of(X[rows], codes[rows], weights[rows], K, form)
        yield total, (total - part).stacked()


def _of_dense(
    X: Matrix, codes: Array, weights: Array, K: int, form: str, folds: Sequence[Array]
) -> Iterator[tuple[ClassMoments, ClassMoments]]:
    """The same, in stacks of many."""
    first, rest = _disjoint(folds, len(X))
    everything = Rows(X, codes, weights, K, again=first < len(folds))
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
    """(how many folds from the first have no row in common, the rows that are in none of them)."""
    seen = np.zeros(n, dtype=bool)
    for count, rows in enumerate(folds):
        if seen[rows].any():
            return count, np.flatnonzero(~seen)
        seen[rows] = True
    return len(folds), np.flatnonzero(~seen)
