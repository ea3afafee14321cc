"""Gaussian kernel  k(x, x′) = e^{−γ‖x − x′‖²}, with γ = 1/(2σ²).

Its matrix is positive definite for distinct rows, so these are separable for any labels. It is invariant to shifts, so
rows are centred, sparse ones where they are far from 0. This reduces the cancellation in ‖x‖² + ‖x′‖² − 2x·x′.
Schölkopf & Smola (2002), §2.3
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix, centre, shifted
from linclass.kernels.functions.base import Kernel


class Gaussian(Kernel):
    """k(x, x′) = e^{−γ‖x − x′‖²}.

    Parameters
    ----------
    gamma : float, default=1.0
        Factor γ, above 0.
    """

    parameters = ("gamma",)

    def __init__(self, gamma: float = 1.0):
        self.gamma = gamma

    def matrix(self, X: Matrix, Y: Any = None) -> Array:
        if Y is None:
            K = super().matrix(self.near_zero(X))
            np.fill_diagonal(K, 1)
            return K
        own = self._centre(Y, sparse.issparse(X) or sparse.issparse(Y))
        return super().matrix(shifted(X, own), shifted(Y, own))

    def near_zero(self, X: Matrix) -> Any:
        return shifted(X, self._centre(X, sparse.issparse(X)))

    def _centre(self, X: Matrix, is_sparse: bool) -> Array:
        return centre(X, np.ones(X.shape[0]), fill=not is_sparse)[0]

    def diagonal(self, X: Matrix) -> Array:
        return np.ones(X.shape[0])

    def block(self, P: Array, a: Array, b: Array) -> None:
        """−γ(a + b − 2P), at most 0 in spite of rounding, then its exponential."""
        P *= 2 * self.gamma
        P -= self.gamma * a[:, None]
        P -= self.gamma * b
        np.minimum(P, 0, out=P)
        np.exp(P, out=P)
