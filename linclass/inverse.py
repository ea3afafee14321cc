"""H⁻¹ of symmetric matrices that should be positive, and what to do where they are not."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from linclass.numerics import Array


class Inverse:
    """H⁻¹ of a symmetric positive H by Cholesky; where a pivot says that H is singular, of its range.

    `rank` is then its rank and `times` gives the shortest solution; else it is None.
    """

    def __init__(self, H: Array, positive: bool = False):
        """`positive`: a penalty keeps H away from singular, however small a pivot."""
        self.rank: int | None = None
        self._factor, info = lapack.dpotrf(H, lower=1)
        pivots, diagonal = self._factor.diagonal(), H.diagonal()
        if info or (not positive and (pivots * pivots < 1e-14 * diagonal).any()):
            self._look_closer(H)

    def times(self, g: Array) -> Array:
        """H⁻¹ g, for a vector or for columns."""
        if self.rank is None:
            return lapack.dpotrs(self._factor, g, lower=1)[0]
        root = self._scale if g.ndim == 1 else self._scale[:, None]
        values = self._values if g.ndim == 1 else self._values[:, None]
        x = self._range @ ((self._range.T @ (g / root)) / values) / root
        return x - self._null @ (self._null.T @ x)

    def _look_closer(self, H: Array) -> None:
        """Columns are brought to one scale to find the rank, which must not depend on units; of all
        solutions the shortest is then the one orthogonal to the null space."""
        scale = np.sqrt(np.maximum(np.diag(H), 0))
        scale[scale == 0] = 1
        values, vectors = np.linalg.eigh(H / np.outer(scale, scale))
        kept = values > values[-1] * len(H) * 1e-13
        self._scale, self._values, self._range = scale, values[kept], vectors[:, kept]
        self._null, _ = np.linalg.qr(vectors[:, ~kept] / scale[:, None])
        self.rank = int(kept.sum())
