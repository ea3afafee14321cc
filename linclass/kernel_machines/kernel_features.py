"""Finitely many features whose inner products are a kernel's:  K = ΦΦᵀ, by pivoted Cholesky factorization.

The factorization stops at a residual of 10⁻¹² of the largest k(x, x), so the number of features is the
numerical rank of K. Linear solvers then minimize the same losses over kernels. Weights w of the features
correspond to coefficients β of the pivots, with Φ_Pᵀβ = w.
Fine & Scheinberg (2001), J. Machine Learning Research 2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack, solve_triangular

from linclass.kernels.base import Kernel, squared_lengths
from linclass.numerics import Array

ROUNDING = 1e-12
HARDLY = 1e-3  # share of the trace


@dataclass(frozen=True)
class KernelFeatures:
    """Features Φ (n, r) and the r rows that are pivots."""

    features: Array  # Φ (n, r)
    pivots: Array  # (r,) rows

    def coefficients(self, W: Array) -> Array:
        """β of the pivots for weights W (K, r) of the features."""
        return solve_triangular(self.features[self.pivots], W.T, lower=True, trans=1).T


def kernel_features(K: Array) -> KernelFeatures:
    """The features of K (n, n), which is overwritten by its factor."""
    n = len(K)
    tol = ROUNDING * float(np.diag(K).max())
    factor, pivots, rank, _ = lapack.dpstrf(K.T, tol=tol, lower=1, overwrite_a=1)
    pivots = pivots - 1
    features = np.empty((n, rank))
    features[pivots] = np.tril(factor[:, :rank])
    return KernelFeatures(features, pivots[:rank])


def few_features(kernel: Kernel, X: Any, most: int) -> Array | None:
    """Φ (n, r) with r ≤ most and K = ΦΦᵀ up to rounding, one kernel column per pivot; None if there is none.

    K itself is never formed. The search stops if a quarter of the columns explain hardly any of the trace.
    """
    X = kernel.near_zero(X)
    left, lengths = kernel.diagonal(X), squared_lengths(X)
    enough, whole = ROUNDING * float(left.max()), float(left.sum())
    factor = np.empty((most, X.shape[0]))
    for r in range(most):
        p = int(left.argmax())
        if left[p] <= enough:
            return np.ascontiguousarray(factor[:r].T)
        if r == most // 4 and left.sum() > HARDLY * whole:
            return None
        column = kernel.between(X[p : p + 1], X, lengths[p : p + 1], lengths)[0]
        column -= factor[:r, p] @ factor[:r]
        column /= np.sqrt(left[p])
        factor[r] = column
        left -= column * column
    return None
