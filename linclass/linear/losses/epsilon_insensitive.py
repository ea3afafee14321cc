"""ε-insensitive loss  ℓ(r) = max(0, |r| − ε)  of the residual r = z − y: no loss inside a tube.

Rows inside the tube do not influence the fit, like rows beyond the margin for hinge; with ε = 0 it is
the absolute deviation.   Vapnik (1995), The Nature of Statistical Learning Theory, §6.1
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.base.parameter_types import require_nonnegative
from linclass.linear.losses._balance_signs import balance_signs
from linclass.linear.losses.base import ResidualLoss


class EpsilonInsensitive(ResidualLoss):
    """Absolute residuals beyond a tube.

    Parameters
    ----------
    epsilon : float, default=0.1
        Half-width ε of the tube, in units of y, at least 0.
    """

    kind = "convex"
    piecewise_linear = True

    def __init__(self, epsilon: float = 0.1):
        self.epsilon = epsilon

    def check(self) -> None:
        require_nonnegative("epsilon", self.epsilon)

    def value(self, r: Array) -> Array:
        return np.maximum(np.abs(r) - self.epsilon, 0)

    def slope(self, r: Array) -> Array:
        return np.sign(r) * (np.abs(r) > self.epsilon)

    def conjugate(self, s: Array) -> Array:
        return np.where(np.abs(s) <= 1, self.epsilon * np.abs(s), np.inf)

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """Soft thresholding by reach·ε, then clipping to [−1, 1]."""
        v = v - reach * y
        soft = np.sign(v) * np.maximum(np.abs(v) - reach * self.epsilon, 0)
        s = np.clip(soft, -1, 1)
        return s, (s == soft) & (s != 0) if self.epsilon else s == soft

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        """Shrinks the sign with the larger sum, which keeps every slope in [−1, 1]."""
        return balance_signs(s, weights)

    def pieces(self, y: Array) -> tuple[Array, Array]:
        one = np.ones(len(y))
        return np.array([one, -one]), np.array([-y, y]) - self.epsilon

    def middle(self, y: Array) -> Array:
        return np.zeros_like(y)
