"""Weight, sums and squares of each fold by class, about an origin m⁰_k near the mean of each class.

Sums and squares of single features are one sparse product, the indicators of fold and class times d and d², for
all folds in one pass over the rows. Products of features are a Gram matrix for each fold, of its rows
√w [d, indicators of the classes], which contains squares, sums and weights at once:
    AᵀA = [Σ w d dᵀ, Σ_k w d; (Σ_k w d)ᵀ, diag n_k],    d = x − m⁰.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Array, Index

Parts = tuple[Array, Array, Array]  # for each fold: weight (F, K), sums (F, K, d), squares (F, …)
BLOCK = 2048  # rows
SMALL = 4_000_000  # numbers up to which deviations are kept for the next partition


class ClassifiedRows:
    """Rows with classes and weights, and the origin of each class."""

    def __init__(self, X: Array, codes: Array, weights: Array, K: int, again: bool):
        """`again`: rows are in more than one fold, so their deviations are kept."""
        self.X, self.codes, self.K = X, codes, K
        self.weights = weights
        self.roots = None if (weights == 1).all() else np.sqrt(weights)[:, None]
        self.keep = again and X.size <= SMALL
        self.origin = np.zeros((K, X.shape[1]))
        mass = np.zeros(K)
        for some in self.blocks():
            belongs = self.indicators(some) * weights[some, None]
            mass += belongs.sum(axis=0)
            self.origin += belongs.T @ X[some]
        self.origin /= np.where(mass > 0, mass, 1)[:, None]

    def blocks(self) -> list[slice]:
        return [slice(begin, begin + BLOCK) for begin in range(0, len(self.X), BLOCK)]

    def deviations(self, rows: Index) -> Array:
        return self.X[rows] - self.origin[self.codes[rows]]

    def indicators(self, rows: Index) -> Array:
        """(n, K): 1 in the class of a row."""
        codes = self.codes[rows]
        belongs = np.zeros((len(codes), self.K))
        belongs[np.arange(len(codes)), codes] = 1
        return belongs

    def beside(self, rows: Index, columns: Callable[[Any], Array]) -> Array:
        """√w [d, columns]."""
        A = np.hstack([self.deviations(rows), columns(rows)])
        return A if self.roots is None else np.multiply(A, self.roots[rows], out=A)


Measure = Callable[[Sequence[Array]], Parts]


def by_feature(rows: ClassifiedRows, squared: bool) -> Measure:
    """Sums, and optionally squares, of each feature."""
    (n, d), K = rows.X.shape, rows.K

    def measure(folds: Sequence[Array]) -> Parts:
        F, members = len(folds), np.concatenate(folds)
        weights = rows.weights[members]
        group = np.repeat(np.arange(F), [*map(len, folds)]) * K + rows.codes[members]
        belongs = sp.csc_array((weights, (group, members)), shape=(F * K, n))
        sums = np.zeros((F * K, 2 * d if squared else d))
        for some in rows.blocks():
            D = rows.deviations(some)
            sums += belongs[:, some] @ (np.hstack([D, D * D]) if squared else D)
        mass = np.bincount(group, weights, F * K).reshape(F, K)
        sums = sums.reshape(F, K, -1)
        return mass, sums[..., :d], sums[..., d:] if squared else np.zeros((F, 0))

    return measure


def sums_tied(rows: ClassifiedRows) -> Measure:
    """Products of all features, summed over the classes."""
    d, gram = rows.X.shape[1], _grams(rows, rows.indicators)

    def measure(folds: Sequence[Array]) -> Parts:
        G = np.stack([gram(members) for members in folds])
        return np.diagonal(G[:, d:, d:], axis1=1, axis2=2), G[:, d:, :d], G[:, :d, :d]

    return measure


def sums_full(rows: ClassifiedRows) -> Measure:
    """Products of all features in each class."""
    d, gram = rows.X.shape[1], _grams(rows, lambda some: np.ones((len(rows.X[some]), 1)))

    def measure(folds: Sequence[Array]) -> Parts:
        G = np.empty((len(folds), rows.K, d + 1, d + 1))
        for own, members in zip(G, folds, strict=True):
            codes = rows.codes[members]
            for k in range(rows.K):
                own[k] = gram(members[codes == k])
        return G[..., d, d], G[..., d, :d], G[..., :d, :d]

    return measure


def _grams(rows: ClassifiedRows, columns: Callable[[Any], Array]) -> Callable[[Array], Array]:
    """AᵀA of some rows (syrk: half the work)."""
    kept = rows.beside(slice(None), columns) if rows.keep else None

    def gram(members: Array) -> Array:
        if kept is not None:
            A = kept.take(members, axis=0)
            return A.T @ A
        width = rows.X.shape[1] + columns(members[:0]).shape[1]
        G = np.zeros((width, width))
        for begin in range(0, len(members), BLOCK):
            A = rows.beside(members[begin : begin + BLOCK], columns)
            G += A.T @ A
        return G

    return gram


FORMS: dict[str, Callable[[ClassifiedRows], Measure]] = {
    "means": lambda rows: by_feature(rows, squared=False),
    "diagonal": lambda rows: by_feature(rows, squared=True),
    "tied": sums_tied,
    "full": sums_full,
}
