"""Modified Huber loss  ℓ(m) = max(0, 1 − m)²  for m ≥ −1,  −4m  beyond:  margin m = y·z.

The squared hinge loss, continued linearly for badly misclassified rows: outliers have no more influence than with the
hinge loss (times 4), and the slope is continuous. It is also called Huberized squared hinge loss. Its minimum over z is
z = 2P(1 | x) − 1.   Zhang (2004), Annals of Statistics 32; Hastie, Tibshirani & Friedman (2009), table 12.1
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.linear.losses.base import MarginLoss


class ModifiedHuber(MarginLoss):
    smoothness = 2.0
    piecewise_quadratic = True

    def value(self, m: Array) -> Array:
        return np.where(m < -1, -4 * m, np.maximum(1 - m, 0) ** 2)

    def slope(self, m: Array) -> Array:
        return -2 * np.clip(1 - m, 0, 2)

    def curvature(self, m: Array) -> Array:
        return 2.0 * ((m < 1) & (m >= -1))

    def conjugate(self, a: Array) -> Array:
        return np.where((a >= 0) & (a <= 4), a * a / 4 - a, np.inf)

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """With a = −y s:  a (1 + reach/2) = reach − y v, clipped to [0, 4]."""
        free = (reach - y * v) / (1 + reach / 2)
        a = np.clip(free, 0, 4)
        return -y * a, a == free
