"""Finitely many features whose inner products are a kernel's:  K = ΦΦᵀ, by pivoted Cholesky factorization.

The factorization stops at a residual of 10⁻¹² of the largest k(x, x), or more, so the number of features is the
numerical rank of K. Linear solvers then minimize the same losses over kernels. Weights w of the features
correspond to coefficients β of the pivots, with Φ_Pᵀβ = w.
Fine & Scheinberg (2001), J. Machine Learning Research 2
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack, solve_triangular

from linclass.base.arrays import Array, squares_of_rows
from linclass.kernels.functions.base import BLOCK, Kernel

ROUNDING = 1e-12
DIGITS = 1e-9  # of the largest residual: smaller pivots would amplify rounding errors elsewhere
HARDLY = 1e-3  # share of the trace


@dataclass(frozen=True)
class KernelFeatures:
    """Features Φ (n, r) and the r rows that are pivots."""

    features: Array  # Φ (n, r)
    pivots: Array  # (r,) rows

    def coefficients(self, W: Array) -> Array:
        """β of the pivots for weights W (K, r) of the features."""
        if not self.features.any():
            return np.zeros(W.shape)
        return solve_triangular(self.features[self.pivots], W.T, lower=True, trans=1).T


def kernel_features(K: Array) -> KernelFeatures:
    """The features of K (n, n), which is overwritten by its factor."""
    n = len(K)
    tol = ROUNDING * float(np.diag(K).max())
    factor, pivots, rank, _ = lapack.dpstrf(K.T, tol=tol, lower=1, overwrite_a=1)
    pivots = pivots - 1
    if not rank:  # a constant kernel, about a row; one column of zeros, as linear models need one
        return KernelFeatures(np.zeros((n, 1)), pivots[:1])
    features = np.empty((n, rank))
    features[pivots] = np.tril(factor[:, :rank])
    return KernelFeatures(features, pivots[:rank])


def few_features(kernel: Kernel, X: Array, most: int, error: float = 0.0) -> Array | None:
    """Φ (n, r) with r ≤ most and K = ΦΦᵀ up to `error` or rounding, one kernel column per pivot; None if there is none.

    K itself is never formed. Pivots are found among few rows at a time, first from all over the data, then those that
    the columns so far explain least, so that all but their own matrix are products of matrices. The search stops
    if a quarter of the columns explain hardly any of the trace.
    """
    X = kernel.near_zero(X)
    left, lengths = kernel.diagonal(X), squares_of_rows(X)
    enough, whole = max(error, ROUNDING * float(left.max())), float(left.sum())
    factor, r = np.empty((most, X.shape[0])), 0
    rows = equally_spaced(np.flatnonzero(left > enough))
    while len(rows):
        among = kernel.between(X[rows], X[rows], lengths[rows], lengths[rows])
        among -= factor[:r, rows].T @ factor[:r][:, rows]
        level = max(enough, DIGITS * float(left.max()))
        L, order, rank, _ = lapack.dpstrf(among.T, tol=level, lower=1)
        if r + rank > most:
            return None
        pivots = rows[order[:rank] - 1]
        new = factor[r : r + rank]
        new[:] = kernel.between(X[pivots], X, lengths[pivots], lengths)
        if r:
            new -= factor[:r, pivots].T @ factor[:r]
        solve_in_place(L[:rank, :rank], new)
        left -= np.einsum("ij,ij->j", new, new)
        left[rows] = np.minimum(left[rows], level)
        r += rank
        if 4 * r >= most and left.sum() > HARDLY * whole:
            return None
        rows = np.flatnonzero(left > enough)
        if len(rows) > BLOCK:
            rows = rows[np.argpartition(left[rows], -BLOCK)[-BLOCK:]]
    return np.ascontiguousarray(factor[:r].T)


def solve_in_place(L: Array, B: Array) -> None:
    """B ← L⁻¹B for contiguous rows, which are the columns of BLAS."""
    blas.dtrsm(1.0, L, B.T, side=1, lower=1, trans_a=1, overwrite_b=1)


def equally_spaced(rows: Array) -> Array:
    """At most BLOCK of the rows, with equal steps."""
    return rows[:: -(-len(rows) // BLOCK) or 1]
