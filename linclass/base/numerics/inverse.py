"""H⁻¹ of symmetric matrices that should be positive definite, and the pseudo-inverse of those that are not."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from linclass.base.numerics.arrays import Array

PIVOT = 1e-14  # share of its diagonal entry, below which it is rounding
CLEAR = 1e-8  # and from which it is none
CONDITION = 6e-8  # reciprocal, of the factor of columns of one scale; rounding leaves a singular one some 1e-8
FLAT = 1e-13  # of the mean of a column: a deviation up to it is rounding


class Inverse:
    """H⁻¹ of a symmetric positive definite H by Cholesky; if its factor shows that H is singular, the pseudo-inverse.

    `rank` is then the rank of H, and `times` returns the minimum-norm solution; otherwise `rank` is None.
    """

    def __init__(self, H: Array, positive: bool = False):
        """`positive`: a penalty makes H positive definite, however small a pivot."""
        self.rank: int | None = None
        self._factor, info = lapack.dpotrf(H, lower=1)
        if info or not (positive or is_regular(self._factor, H)):
            self._find_rank(H)

    def times(self, g: Array) -> Array:
        """H⁻¹ g, for a vector or for columns."""
        if self.rank is None:
            return lapack.dpotrs(self._factor, g, lower=1)[0]
        root = self._scale if g.ndim == 1 else self._scale[:, None]
        values = self._values if g.ndim == 1 else self._values[:, None]
        x = self._range @ ((self._range.T @ (g / root)) / values) / root
        return x - self._null @ (self._null.T @ x)

    def _find_rank(self, H: Array) -> None:
        """Columns are scaled to find the rank, which must not depend on units. The minimum-norm solution is then
        the one orthogonal to the null space.
        """
        scale = np.sqrt(np.maximum(np.diag(H), 0))
        scale[scale == 0] = 1
        values, vectors = np.linalg.eigh(H / np.outer(scale, scale))
        kept = values > values[-1] * len(H) * 1e-13
        self._scale, self._values, self._range = scale, values[kept], vectors[:, kept]
        self._null, _ = np.linalg.qr(vectors[:, ~kept] / scale[:, None])
        self.rank = int(kept.sum())


def is_regular(factor: Array, H: Array) -> bool:
    """Whether a Cholesky factor is that of a regular H. Columns are scaled, as for the rank.

    Where one of many columns is the sum of others, its pivot is the sum of as many rounding errors; then the condition
    number tells.
    """
    pivots, diagonal = factor.diagonal(), H.diagonal()
    shares = pivots * pivots / diagonal
    if shares.min(initial=1) >= CLEAR:
        return True
    scaled = factor / np.sqrt(diagonal)[:, None]
    return bool(shares.min() >= PIVOT and lapack.dtrcon(scaled, uplo="L")[0] >= CONDITION)


def clear_constant_columns(G: Array, mean: Array) -> None:
    """Set the rows and columns of G = X_cᵀ W X_c to 0 where a column of X is constant but for rounding."""
    flat = np.sqrt(np.maximum(G.diagonal(), 0)) <= FLAT * np.abs(mean)
    if flat.any():
        G[flat] = G[:, flat] = 0
