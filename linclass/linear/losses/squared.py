"""Squared loss  ℓ(r) = ½ r²  of the residual r = z − y.

For y = ±1 it is ½(1 − m)², a margin loss that also penalizes margins above 1.
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.linear.losses.base import ResidualLoss


class Squared(ResidualLoss):
    smoothness = 1.0
    quadratic = True
    piecewise_quadratic = True

    def value(self, r: Array) -> Array:
        return 0.5 * r * r

    def slope(self, r: Array) -> Array:
        return r

    def curvature(self, r: Array) -> Array:
        return np.ones_like(r)

    def conjugate(self, s: Array) -> Array:
        return 0.5 * s * s

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        return (v - reach * y) / (1 + reach), np.full(len(v), True)
