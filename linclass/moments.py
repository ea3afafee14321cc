"""Mass, mean and spread of each class:  n_k = Σ w_i,  m_k = Σ w_i x_i / n_k,  i over class k.

Squares are of deviations from the class's own mean, in two passes, never a difference of sums of
squares; and the mean is corrected by the mean of the deviations, which leaves a constant column
without any but the last digit's. Sparse rows stay sparse: entries that are not stored deviate
by −m_k.   Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

Matrix = Any


def class_means(X: Matrix, codes: np.ndarray, weights: np.ndarray, K: int) -> Any:
    """(mass (K,), mean (K, d))."""
    mass = np.bincount(codes, weights, minlength=K)
    mean = np.array([_mean(rows, w) for rows, w in _by_class(X, codes, weights, K)])
    return mass, mean


def class_variances(X: Matrix, codes: np.ndarray, weights: np.ndarray, mean: np.ndarray) -> Any:
    """Σ w (x − m_k)² / n_k of every column in every class, (K, d)."""
    classes = _by_class(X, codes, weights, len(mean))
    return np.array([_variance(rows, w, m) for (rows, w), m in zip(classes, mean, strict=True)])


def within_scatter(X: Matrix, codes: np.ndarray, weights: np.ndarray, mean: np.ndarray) -> Any:
    """Σ_k Σ w (x − m_k)(x − m_k)ᵀ, (d, d)."""
    S, exact = np.zeros((X.shape[1], X.shape[1])), np.zeros(X.shape[1])
    for (rows, w), m in zip(_by_class(X, codes, weights, len(mean)), mean, strict=True):
        if sp.issparse(rows):
            S += (rows.T @ _scaled(rows, w)).toarray()
            S -= w.sum() * np.outer(m, m)
            exact += w.sum() * _variance(rows, w, m)
        else:
            R = np.sqrt(w)[:, None] * (rows - m)
            S += R.T @ R  # the same matrix on both sides: half the work (syrk)
    if sp.issparse(X):
        np.fill_diagonal(S, exact)  # without the cancellation of Σ w x² − n m²
    return S


def residual_rows(X: Matrix, codes: np.ndarray, weights: np.ndarray, mean: np.ndarray) -> Any:
    """R (n, d) of dense rows √w (x − m_k), class by class, so that RᵀR is the within scatter."""
    classes = zip(_by_class(X, codes, weights, len(mean)), mean, strict=True)
    return np.vstack([np.sqrt(w)[:, None] * (_dense(rows) - m) for (rows, w), m in classes])


def _by_class(
    X: Matrix, codes: np.ndarray, weights: np.ndarray, K: int
) -> Iterator[tuple[Matrix, np.ndarray]]:
    for k in range(K):
        members = np.flatnonzero(codes == k)
        yield X[members], weights[members]


def _mean(rows: Matrix, w: np.ndarray) -> np.ndarray:
    mass = w.sum()
    mean = (w @ rows) / mass
    if sp.issparse(rows):
        stored, D = _stored(rows, w, mean)
        return mean + (w @ D - (mass - stored) * mean) / mass
    return mean + (w @ (rows - mean)) / mass


def _variance(rows: Matrix, w: np.ndarray, mean: np.ndarray) -> np.ndarray:
    mass = w.sum()
    if sp.issparse(rows):
        stored, D = _stored(rows, w, mean)
        D.data **= 2
        return (w @ D + np.maximum(mass - stored, 0) * mean**2) / mass
    return (w @ (rows - mean) ** 2) / mass


def _stored(rows: sp.csr_array, w: np.ndarray, mean: np.ndarray) -> tuple[np.ndarray, sp.csr_array]:
    """(weight of the stored entries of each column, their deviations from its mean)."""
    D = rows.copy()
    D.data -= mean[D.indices]
    return np.bincount(rows.indices, np.repeat(w, np.diff(rows.indptr)), rows.shape[1]), D


def _scaled(rows: sp.csr_array, w: np.ndarray) -> sp.csr_array:
    R = rows.copy()
    R.data *= np.repeat(w, np.diff(rows.indptr))
    return R


def _dense(rows: Matrix) -> np.ndarray:
    return rows.toarray() if sp.issparse(rows) else rows
