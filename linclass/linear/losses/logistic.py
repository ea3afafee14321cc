"""Logistic loss  ℓ(m) = ln(1 + e^{−m}),  margin m = y·z,  y ∈ {−1, +1}.

The negative log-likelihood of P(y | z) = 1/(1 + e^{−y·z}). Exponentials are computed of −|m| only, so no
margin overflows.   Hastie, Tibshirani & Friedman (2009), §4.4
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from linclass.base.numerics.arrays import Array
from linclass.linear.losses.base import MarginLoss

TINY = np.finfo(float).tiny  # 0·ln 0 = 0
MOST = 0.9  # of the variance of y, to be explained by least squares


class Logistic(MarginLoss):
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
        entropy = a * np.log(np.maximum(a, TINY)) + b * np.log(np.maximum(b, TINY))
        if a.min() < 0 or b.min() < 0:
            entropy[(a < 0) | (b < 0)] = np.inf
        return entropy

    def normal_fit(self, mean: Any, explained: Any) -> tuple[Any, Any]:
        """Linear discriminant analysis, from least squares.   Haggstrom (1983), J. Bus. Econ. Stat. 1"""
        within = 1 - mean * mean
        share = np.clip(explained / within, 0, MOST)
        k = 1 / (within * (1 - share))
        return k, np.log((1 + mean) / (1 - mean)) + 2 * mean * share / (1 - share) / within

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array]:
        """The three share one exponential e = e^{−|m|} and one q = 1/(1 + e)."""
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
