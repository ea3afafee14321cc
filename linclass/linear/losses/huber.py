"""Huber loss  ℓ(r) = ½ r²  for |r| ≤ δ,  δ(|r| − ½ δ)  beyond:  residual r = z − y.

It is quadratic for small residuals and linear for large ones, which limits the influence of outliers: it is the
minimax estimate under contamination. For y = ±1 it is a loss of the distance of the score from its target, like the
squared loss.   Huber (1964), Ann. Math. Stat. 35
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.base.parameter_types import require_positive
from linclass.linear.losses._balance_signs import balance_signs
from linclass.linear.losses.base import ResidualLoss


class Huber(ResidualLoss):
    """Huber loss.

    Parameters
    ----------
    delta : float, default=1.0
        δ, the residual beyond which the loss is straight, above 0.
    """

    smoothness = 1.0
    piecewise_quadratic = True

    def __init__(self, delta: float = 1.0):
        self.delta = delta

    def check(self) -> None:
        require_positive("delta", self.delta)

    def value(self, r: Array) -> Array:
        inner = np.minimum(np.abs(r), self.delta)
        return inner * (np.abs(r) - 0.5 * inner)

    def slope(self, r: Array) -> Array:
        return np.clip(r, -self.delta, self.delta)

    def curvature(self, r: Array) -> Array:
        return (np.abs(r) <= self.delta).astype(float)

    def conjugate(self, s: Array) -> Array:
        return np.where(np.abs(s) <= self.delta * (1 + 1e-12), 0.5 * s * s, np.inf)

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        """Slopes of one sign are shrunk, so that both weigh the same and none leaves [−δ, δ]."""
        return balance_signs(s, weights)

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """s (1 + reach) = v − reach·y, clipped to [−δ, δ]."""
        free = (v - reach * y) / (1 + reach)
        s = np.clip(free, -self.delta, self.delta)
        return s, s == free
