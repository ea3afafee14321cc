"""Mass, mean and spread of each class:  n_k = Σ w_i,  m_k = Σ w_i x_i / n_k,  i over class k.

Squares are of deviations from the class's own mean, in two passes, never a difference of sums of
squares; and the mean is corrected by the mean of the deviations, which leaves a constant column
without any but the last digit's. Sparse rows stay sparse: entries that are not stored deviate
by −m_k.   Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

Array = np.ndarray
Matrix = Any


def class_means(X: Matrix, codes: Array, weights: Array, K: int) -> tuple[Array, Array]:
    """(mass (K,), mean (K, d))."""
    mass, mean, _ = _class_by_class(X, codes, weights, K, lambda *_: None)
    return mass, mean


def class_variances(X: Matrix, codes: Array, weights: Array, K: int) -> tuple[Array, Array, Array]:
    """(mass, mean, variance (K, d)):  Σ w (x − m_k)² / n_k."""
    mass, mean, squares = _class_by_class(X, codes, weights, K, _squares)
    return mass, mean, np.array(squares) / mass[:, None]


def within_scatter(X: Matrix, codes: Array, weights: Array, K: int) -> tuple[Array, Array, Array]:
    """(mass, mean, scatter (d, d)):  Σ_k Σ w (x − m_k)(x − m_k)ᵀ."""
    S = np.zeros((X.shape[1], X.shape[1]))

    def add(rows: Matrix, w: Array, m: Array, D: Matrix) -> None:
        if sp.issparse(rows):
            product = (rows.T @ _times(rows, w)).toarray() - w.sum() * np.outer(m, m)
            np.fill_diagonal(product, _squares(rows, w, m, D))  # without cancellation
            np.add(S, product, out=S)
        else:
            D *= np.sqrt(w)[:, None]
            np.add(S, D.T @ D, out=S)  # one matrix on both sides: half the work (syrk)

    mass, mean, _ = _class_by_class(X, codes, weights, K, add)
    return mass, mean, S


def residual_rows(X: Matrix, codes: Array, weights: Array, K: int) -> tuple[Array, Array, Array]:
    """(mass, mean, R (n, d)): dense rows √w (x − m_k), class by class; RᵀR is the scatter."""

    def residuals(rows: Matrix, w: Array, m: Array, D: Matrix) -> Array:
        return np.sqrt(w)[:, None] * (rows.toarray() - m if sp.issparse(rows) else D)

    mass, mean, blocks = _class_by_class(X, codes, weights, K, residuals)
    return mass, mean, np.vstack(blocks)


def _class_by_class(
    X: Matrix, codes: Array, weights: Array, K: int, measure: Callable[..., Any]
) -> tuple[Array, Array, list[Any]]:
    """(mass, mean, [measure(rows, w, m, D) of each class]), D the (stored) deviations."""
    found = [
        (w.sum(), m, measure(rows, w, m, D))
        for rows, w in _classes(X, codes, weights, K)
        for m, D in [_centred(rows, w)]
    ]
    mass, mean, measured = zip(*found, strict=True)
    return np.array(mass), np.array(mean), list(measured)


def _classes(X: Matrix, codes: Array, weights: Array, K: int) -> Iterator[tuple[Matrix, Array]]:
    """(rows, weights) of each class, the rows a copy."""
    for k in range(K):
        members = np.flatnonzero(codes == k)
        yield X[members], weights[members]


def _centred(rows: Matrix, w: Array) -> tuple[Array, Matrix]:
    """(mean, deviations from it); dense rows become their deviations, in place."""
    mass = w.sum()
    m = (w @ rows) / mass
    if not sp.issparse(rows):
        rows -= m
        error = (w @ rows) / mass
        rows -= error
        return m + error, rows
    m += (w @ _deviations(rows, m) - _unstored(rows, w) * m) / mass
    return m, _deviations(rows, m)


def _squares(rows: Matrix, w: Array, m: Array, D: Matrix) -> Array:
    """Σ w (x − m)² of each column."""
    if not sp.issparse(rows):
        return w @ np.square(D, out=D)
    D.data **= 2
    return w @ D + _unstored(rows, w) * m**2


def _deviations(rows: sp.csr_array, m: Array) -> sp.csr_array:
    return sp.csr_array((rows.data - m[rows.indices], rows.indices, rows.indptr), rows.shape)


def _unstored(rows: sp.csr_array, w: Array) -> Array:
    """The weight of the zeros of each column."""
    stored = np.bincount(rows.indices, np.repeat(w, np.diff(rows.indptr)), rows.shape[1])
    return np.maximum(w.sum() - stored, 0)


def _times(rows: sp.csr_array, w: Array) -> sp.csr_array:
    return sp.csr_array(
        (rows.data * np.repeat(w, np.diff(rows.indptr)), rows.indices, rows.indptr), rows.shape
    )
