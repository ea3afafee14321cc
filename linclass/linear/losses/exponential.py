"""Exponential loss  ℓ(m) = e^{−m},  margin m = y·z, which AdaBoost minimizes.

Its minimum over z is half the log-odds, z = ½ ln P(1 | x)/P(−1 | x), so its population minimizer is that of the
logistic loss, halved. But it grows exponentially with a negative margin, so a single mislabelled row may dominate the
fit. Below m = −300 it is continued linearly, to avoid overflow.
Hastie, Tibshirani & Friedman (2009), §10.4–10.6
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from linclass.base.numerics.arrays import Array
from linclass.linear.losses.base import MarginLoss

LIMIT = 300.0


class Exponential(MarginLoss):
    vanishes = False

    def value(self, m: Array) -> Array:
        return self.curvature(m) * (1 + np.maximum(-m - LIMIT, 0))

    def slope(self, m: Array) -> Array:
        return -self.curvature(m)

    def curvature(self, m: Array) -> Array:
        return np.exp(np.minimum(-m, LIMIT))

    def conjugate(self, a: Array) -> Array:
        inside = (a >= 0) & (a <= np.exp(LIMIT))
        a = np.where(inside, a, 0)
        return np.where(inside, xlogy(a, a) - a, np.inf)
