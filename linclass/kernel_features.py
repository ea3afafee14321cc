"""Finitely many features whose inner products are a kernel's:  K = ΦΦᵀ, by Cholesky with pivots.

Every row's kernel column is one of the pivots' up to 10⁻¹² of the largest k(x, x), so that the number
of features is the numerical rank of K, and each linear solver does the same losses over kernel columns.
Weights w of the features are coefficients β of the pivots, with Φ_Pᵀβ = w.
Fine & Scheinberg (2001), J. Machine Learning Research 2
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack, solve_triangular

from linclass.numerics import Array

ROUNDING = 1e-12


@dataclass(frozen=True)
class KernelFeatures:
    features: Array  # Φ (n, r)
    pivots: Array  # (r,) rows

    def coefficients(self, W: Array) -> Array:
        """β of the pivots for weights W (K, r) of the features."""
        return solve_triangular(self.features[self.pivots], W.T, lower=True, trans=1).T


def kernel_features(K: Array) -> KernelFeatures:
    """K (n, n) is used up: its memory holds the factor."""
    n = len(K)
    tol = ROUNDING * float(np.diag(K).max())
    factor, pivots, rank, _ = lapack.dpstrf(K.T, tol=tol, lower=1, overwrite_a=1)
    pivots = pivots - 1
    features = np.empty((n, rank))
    features[pivots] = np.tril(factor[:, :rank])
    return KernelFeatures(features, pivots[:rank])
