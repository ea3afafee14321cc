"""Losses of the margin m = y·z, for y = ±1."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, xlogy

from linclass.base.arrays import SMALLEST, Array
from linclass.linear.losses.base import MarginLoss

MOST_EXPLAINED = 0.9  # largest share of the variance of y, to be explained by least squares


class Logistic(MarginLoss):
    """Logistic loss  ℓ(m) = ln(1 + e^{−m}),  margin m = y·z,  y ∈ {−1, +1}.

    The negative log-likelihood of P(y | z) = 1/(1 + e^{−y·z}). Exponentials are computed of −|m| only, so no
    margin overflows.   Hastie, Tibshirani & Friedman (2009), §4.4
    """

    smoothness = 1 / 4
    probabilistic = True
    canonical = True
    vanishes = False
    joint = "softmax"
    slope_as_ufunc = (expit, -1.0, -1.0)

    def value(self, m: Array) -> Array:
        return np.log1p(np.exp(-np.abs(m))) + np.maximum(-m, 0)

    def slope(self, m: Array) -> Array:
        return -expit(-m)

    def curvature(self, m: Array) -> Array:
        e = np.exp(-np.abs(m))
        return e / (1 + e) ** 2

    def conjugate(self, a: Array) -> Array:
        b = 1 - a
        entropy = a * np.log(np.maximum(a, SMALLEST)) + b * np.log(np.maximum(b, SMALLEST))
        if a.min() < 0 or b.min() < 0:
            entropy[(a < 0) | (b < 0)] = np.inf
        return entropy

    def normal_fit(self, mean: Any, explained: Any) -> tuple[Any, Any]:
        """Linear discriminant analysis, from least squares.   Haggstrom (1983), J. Bus. Econ. Stat. 1"""
        within = 1 - mean * mean
        share = np.clip(explained / within, 0, MOST_EXPLAINED)
        k = 1 / (within * (1 - share))
        return k, np.log((1 + mean) / (1 - mean)) + 2 * mean * share / (1 - share) / within

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array]:
        """Value, slope and curvature, which share one exponential e = e^{−|m|} and one q = 1/(1 + e)."""
        m = y * z
        e = np.copysign(m, -1.0)
        np.exp(e, out=e)
        value = np.log1p(e)
        value -= np.minimum(m, 0)
        q = e + 1
        np.divide(-1.0, q, out=q)
        e *= q  # now q = −max(P(right), P(wrong)), e = −1 − q
        slope = np.where(m >= 0, e, q)
        slope *= y
        q *= e
        return value, slope, q


class Hinge(MarginLoss):
    """Hinge loss  ℓ(m) = max(0, 1 − m): a convex upper bound of zero–one loss with a sparse dual solution.

    Rows beyond the margin have no loss and do not influence the fit.   Cortes & Vapnik (1995)
    """

    kind = "convex"
    piecewise_linear = True

    def value(self, m: Array) -> Array:
        return np.maximum(1 - m, 0)

    def slope(self, m: Array) -> Array:
        return -(m < 1).astype(float)

    def conjugate(self, a: Array) -> Array:
        return np.where((a >= 0) & (a <= 1), -a, np.inf)

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """s = −y a,  a = reach − y v, clipped to [0, 1]."""
        free = reach - y * v
        a = np.minimum(np.maximum(free, 0), 1)  # at half the cost of np.clip
        return -y * a, a == free

    def pieces(self, y: Array) -> tuple[Array, Array]:
        return -y[None], np.ones((1, len(y)))

    def middle(self, y: Array) -> Array:
        return -y / 2


class SquaredHinge(MarginLoss):
    """Squared hinge loss  ℓ(m) = max(0, 1 − m)²  (without ½, so that C = 1/(n·strength) as for hinge).

    Its slope is continuous and its curvature jumps from 2 to 0 at m = 1: smooth enough for Newton's
    method, which ends in finitely many steps.   Mangasarian (2002), Optim. Methods and Software 17
    """

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
        """s = −y a,  a = (reach − y v)/(1 + reach/2), but not below 0."""
        a = np.maximum(reach - y * v, 0) / (1 + reach / 2)
        return -y * a, a > 0


class ModifiedHuber(MarginLoss):
    """Modified Huber loss  ℓ(m) = max(0, 1 − m)²  for m ≥ −1,  −4m  beyond:  margin m = y·z.

    The squared hinge loss, continued linearly for badly misclassified rows: outliers have no more influence than with
    the hinge loss (times 4), and the slope is continuous. It is also called Huberized squared hinge loss. Its minimum
    over z is z = 2P(1 | x) − 1.   Zhang (2004), Annals of Statistics 32; Hastie, Tibshirani & Friedman (2009), table
    12.1"""

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
        """s = −y a,  a = (reach − y v)/(1 + reach/2), clipped to [0, 4]."""
        free = (reach - y * v) / (1 + reach / 2)
        a = np.clip(free, 0, 4)
        return -y * a, a == free


LARGEST_EXPONENT = 300.0


class Exponential(MarginLoss):
    """Exponential loss  ℓ(m) = e^{−m},  margin m = y·z, which AdaBoost minimizes.

    Its minimum over z is half the log-odds, z = ½ ln P(1 | x)/P(−1 | x), so its population minimizer is that of the
    logistic loss, halved. But it grows exponentially with a negative margin, so a single mislabelled row may dominate
    the fit. Below m = −300 it is continued linearly, to avoid overflow. Hastie, Tibshirani & Friedman (2009),
    §10.4–10.6"""

    vanishes = False

    def value(self, m: Array) -> Array:
        return self.curvature(m) * (1 + np.maximum(-m - LARGEST_EXPONENT, 0))

    def slope(self, m: Array) -> Array:
        return -self.curvature(m)

    def curvature(self, m: Array) -> Array:
        return np.exp(np.minimum(-m, LARGEST_EXPONENT))

    def conjugate(self, a: Array) -> Array:
        inside = (a >= 0) & (a <= np.exp(LARGEST_EXPONENT))
        a = np.where(inside, a, 0)
        return np.where(inside, xlogy(a, a) - a, np.inf)


class Perceptron(MarginLoss):
    """Perceptron loss  ℓ(m) = max(0, −m): the distance of a row on the wrong side, times ‖w‖.

    The perceptron rule is its stochastic subgradient descent with a constant step. A row on the boundary counts as
    misclassified, so that training can leave w = 0.   Rosenblatt (1958), Psychological Review 65
    """

    kind = "convex"
    mistake_driven = True
    joint = "kesler"

    def value(self, m: Array) -> Array:
        return np.maximum(-m, 0)

    def slope(self, m: Array) -> Array:
        return -(m <= 0).astype(float)

    def conjugate(self, a: Array) -> Array:
        return np.where((a >= 0) & (a <= 1), 0.0, np.inf)


class ZeroOne(MarginLoss):
    """Zero–one loss  ℓ(m) = 1[m ≤ 0], the number of misclassified rows.

    Its slope is zero wherever it exists, so no gradient method can use it. It is for evaluation and plots; the other
    losses are its surrogates. A row on the boundary counts as misclassified.
    """

    kind = "discrete"
    convex = False
    has_conjugate = False

    def value(self, m: Array) -> Array:
        return (m <= 0).astype(float)

    def slope(self, m: Array) -> Array:
        return np.zeros_like(m, dtype=float)
