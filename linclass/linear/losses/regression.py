"""Losses of the residual r = z − y."""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array, soft_threshold
from linclass.base.parameters import require_nonnegative, require_positive
from linclass.linear.losses.base import MarginLoss, ResidualLoss


class Squared(ResidualLoss):
    """Squared loss  ℓ(r) = ½ r²  of the residual r = z − y.

    For y = ±1 it is ½(1 − m)², a margin loss that also penalizes margins above 1.
    """

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


class Huber(ResidualLoss):
    """Huber loss  ℓ(r) = ½ r²  for |r| ≤ δ,  δ(|r| − ½ δ)  beyond:  residual r = z − y.

    It is quadratic for small residuals and linear for large ones, which limits the influence of outliers: it is the
    minimax estimate under contamination. For y = ±1 it is a loss of the distance of the score from its target, like the
    squared loss.   Huber (1964), Ann. Math. Stat. 35

    Parameters
    ----------
    delta : float, default=1.0
        δ, the residual beyond which the loss is linear, above 0.
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

    balance = MarginLoss.balance  # slopes of one sign shrink, so that none leaves [−δ, δ]

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """s (1 + reach) = v − reach·y, clipped to [−δ, δ]."""
        free = (v - reach * y) / (1 + reach)
        s = np.clip(free, -self.delta, self.delta)
        return s, s == free


class Tube(ResidualLoss):
    """No loss of residuals up to ε."""

    def __init__(self, epsilon: float = 0.1):
        self.epsilon = epsilon

    def check(self) -> None:
        require_nonnegative("epsilon", self.epsilon)


class EpsilonInsensitive(Tube):
    """ε-insensitive loss  ℓ(r) = max(0, |r| − ε)  of the residual r = z − y: no loss inside a tube.

    Rows inside the tube do not influence the fit, like rows beyond the margin for hinge; with ε = 0 it is
    the absolute deviation.   Vapnik (1995), The Nature of Statistical Learning Theory, §6.1

    Parameters
    ----------
    epsilon : float, default=0.1
        Half-width ε of the tube, in units of y, at least 0.
    """

    kind = "convex"
    piecewise_linear = True

    def value(self, r: Array) -> Array:
        return np.maximum(np.abs(r) - self.epsilon, 0)

    def slope(self, r: Array) -> Array:
        return np.sign(r) * (np.abs(r) > self.epsilon)

    def conjugate(self, s: Array) -> Array:
        return np.where(np.abs(s) <= 1, self.epsilon * np.abs(s), np.inf)

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """Soft thresholding by reach·ε, then clipping to [−1, 1]."""
        soft = soft_threshold(v - reach * y, reach * self.epsilon)
        s = np.clip(soft, -1, 1)
        return s, (s == soft) & (s != 0) if self.epsilon else s == soft

    balance = MarginLoss.balance  # which keeps every slope in [−1, 1]

    def pieces(self, y: Array) -> tuple[Array, Array]:
        one = np.ones(len(y))
        return np.array([one, -one]), np.array([-y, y]) - self.epsilon

    def middle(self, y: Array) -> Array:
        return np.zeros_like(y)


class SquaredEpsilonInsensitive(Tube):
    """Squared ε-insensitive loss  ℓ(r) = max(0, |r| − ε)²  (without ½, like the squared hinge).

    With ε = 0 it is twice the squared loss.   Ho & Lin (2012), J. Machine Learning Research 13

    Parameters
    ----------
    epsilon : float, default=0.1
        Half-width ε of the tube, in units of y, at least 0.
    """

    smoothness = 2.0
    piecewise_quadratic = True

    def value(self, r: Array) -> Array:
        return np.maximum(np.abs(r) - self.epsilon, 0) ** 2

    def slope(self, r: Array) -> Array:
        return 2 * soft_threshold(r, self.epsilon)

    def curvature(self, r: Array) -> Array:
        return 2.0 * (np.abs(r) >= self.epsilon)

    def conjugate(self, s: Array) -> Array:
        return s * s / 4 + self.epsilon * np.abs(s)

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """Soft thresholding by reach·ε, then shrinking by the curvature of ℓ*."""
        soft = soft_threshold(v - reach * y, reach * self.epsilon)
        return soft / (1 + reach / 2), (soft != 0) if self.epsilon else np.full(len(v), True)
