"""Squared ε-insensitive loss  ℓ(r) = max(0, |r| − ε)²  (without ½, like the squared hinge).

With ε = 0 it is twice the squared loss.   Ho & Lin (2012), J. Machine Learning Research 13
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.base.parameter_types import require_nonnegative
from linclass.linear.losses.base import ResidualLoss


class SquaredEpsilonInsensitive(ResidualLoss):
    """Squared residuals beyond a tube.

    Parameters
    ----------
    epsilon : float, default=0.1
        Half-width ε of the tube, in units of y, at least 0.
    """

    smoothness = 2.0
    piecewise_quadratic = True

    def __init__(self, epsilon: float = 0.1):
        self.epsilon = epsilon

    def check(self) -> None:
        require_nonnegative("epsilon", self.epsilon)

    def value(self, r: Array) -> Array:
        return np.maximum(np.abs(r) - self.epsilon, 0) ** 2

    def slope(self, r: Array) -> Array:
        return 2 * np.sign(r) * np.maximum(np.abs(r) - self.epsilon, 0)

    def curvature(self, r: Array) -> Array:
        return 2.0 * (np.abs(r) >= self.epsilon)

    def conjugate(self, s: Array) -> Array:
        return s * s / 4 + self.epsilon * np.abs(s)

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """Soft thresholding by reach·ε, then shrinking by the curvature of ℓ*."""
        v = v - reach * y
        soft = np.sign(v) * np.maximum(np.abs(v) - reach * self.epsilon, 0)
        return soft / (1 + reach / 2), (soft != 0) if self.epsilon else np.full(len(v), True)
