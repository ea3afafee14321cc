"""Squared hinge loss  ℓ(m) = max(0, 1 − m)²  (without ½, so that C = 1/(n·strength) as for hinge).

Its slope is continuous and its curvature jumps from 2 to 0 at m = 1: smooth enough for Newton's
method, which ends in finitely many steps.   Mangasarian (2002), Optim. Methods and Software 17
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.linear.losses.base import MarginLoss


class SquaredHinge(MarginLoss):
    smoothness = 2.0
    piecewise_quadratic = True

    def value(self, m: Array) -> Array:
        return np.maximum(1 - m, 0) ** 2

    def slope(self, m: Array) -> Array:
        return -2 * np.maximum(1 - m, 0)

    def curvature(self, m: Array) -> Array:
        return 2.0 * (m < 1)

    def conjugate(self, a: Array) -> Array:
        return np.where(a >= 0, a * a / 4 - a, np.inf)

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """With a = −y s:  a (1 + reach/2) = reach − y v, but not below 0."""
        a = np.maximum(reach - y * v, 0) / (1 + reach / 2)
        return -y * a, a > 0
