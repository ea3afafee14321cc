"""Perceptron loss  ℓ(m) = max(0, −m): the distance of a row on the wrong side, times ‖w‖.

The perceptron rule is its stochastic subgradient descent with a constant step. A row on the boundary counts as
misclassified, so that training can leave w = 0.   Rosenblatt (1958), Psychological Review 65
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.linear.losses.base import MarginLoss


class Perceptron(MarginLoss):
    kind = "convex"
    mistake_driven = True
    joint = "kesler"

    def value(self, m: Array) -> Array:
        return np.maximum(-m, 0)

    def slope(self, m: Array) -> Array:
        return -(m <= 0).astype(float)

    def conjugate(self, a: Array) -> Array:
        return np.where((a >= 0) & (a <= 1), 0.0, np.inf)
