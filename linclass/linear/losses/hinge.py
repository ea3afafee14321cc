"""Hinge loss  ℓ(m) = max(0, 1 − m): a convex upper bound of zero–one loss with a sparse dual solution.

Rows beyond the margin have no loss and do not influence the fit.   Cortes & Vapnik (1995)
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.linear.losses.base import MarginLoss


class Hinge(MarginLoss):
    kind = "convex"
    piecewise_linear = True

    def value(self, m: Array) -> Array:
        return np.maximum(1 - m, 0)

    def slope(self, m: Array) -> Array:
        return -(m < 1).astype(float)

    def conjugate(self, a: Array) -> Array:
        return np.where((a >= 0) & (a <= 1), -a, np.inf)

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """With a = −y s:  a = reach − y v, clipped to [0, 1]."""
        free = reach - y * v
        a = np.minimum(np.maximum(free, 0), 1)  # at half the cost of np.clip
        return -y * a, a == free

    def pieces(self, y: Array) -> tuple[Array, Array]:
        return -y[None], np.ones((1, len(y)))

    def middle(self, y: Array) -> Array:
        return -y / 2
