"""Probit loss  ℓ(m) = −ln Φ(m),  margin m = y·z,  Φ the normal distribution function.

The negative log-likelihood of P(y | z) = Φ(y·z). With Mills' ratio r = φ(m)/Φ(m) its slope is −r and its curvature
r (m + r). For negative margins it grows like m²/2, where the logistic loss grows like |m|.
Bishop (2006), §4.3.5; Finney (1947), Probit Analysis
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr, ndtri

from linclass.losses.base import MarginLoss
from linclass.numerics import Array

LEFT = -3.0  # left of it φ and Φ are so small that their quotient would lose digits
RIGHT = 39.0  # from it on r is 0
FAR = -100.0  # left of it m + r is taken from its series, for the difference would lose its digits
MOST = 0.9  # share of s² in 1 + s², in a start from least squares
ROOT_2, ROOT_2PI, ROOT_2_OVER_PI = 2**0.5, (2 * np.pi) ** 0.5, (2 / np.pi) ** 0.5


class Probit(MarginLoss):
    smoothness = 1.0
    probabilistic = True
    vanishes = False
    certain = 2.8

    def value(self, m: Array) -> Array:
        return -log_ndtr(m)

    def slope(self, m: Array) -> Array:
        return -value_and_mills(m)[1]

    def curvature(self, m: Array) -> Array:
        _, r, above = value_and_mills(m)
        return r * above

    def normal_fit(self, mean: Any, explained: Any) -> tuple[Any, Any]:
        """With scores z ~ N(z̄, s²):  P(1) = Φ(h), h = z̄/√(1 + s²), and least squares explains 4 φ(h)² s²/(1 + s²)."""
        h = ndtri((1 + mean) / 2)
        twice = ROOT_2_OVER_PI * np.exp(-0.5 * h * h)  # 2 φ(h)
        spread = 1 / np.sqrt(1 - np.clip(explained / (twice * twice), 0, MOST))  # √(1 + s²)
        return ROOT_2_OVER_PI * spread / twice, h * spread

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array]:
        value, r, above = value_and_mills(y * z)
        above *= r
        r *= -y
        return value, r, above

    def conjugate(self, a: Array) -> Array:
        """ℓ*(−a) = −a m + ln Φ(m)  at the m with r(m) = a > 0; 0 at a = 0.

        ln r is concave and falls with slope −(m + r), so Newton's steps for it never pass the root
        again once they are on its right.
        """
        out = np.where(a < 0, np.inf, 0.0)
        inside = a > 0
        a = a[inside]
        m = np.where(a < 0.5, np.sqrt(-2 * np.log(np.minimum(a, 0.5))), 0.5 - a)
        for _ in range(50):
            step = (log_mills(m) - np.log(a)) / rest(m, mills(m))
            m = m + step
            if (np.abs(step) <= 1e-9 * (1 + np.abs(m))).all():  # the next would be its square
                break
        out[inside] = log_ndtr(m) - a * m
        return out


def value_and_mills(m: Array) -> tuple[Array, Array, Array]:
    """(−ln Φ, r, m + r), of most m from one value of Φ, that of −|m|: neither it nor ln(1 − Φ(−|m|)) cancels."""
    inner = np.clip(m, LEFT, RIGHT)
    r, right = np.abs(inner), inner > 0
    tail = ndtr(-r)
    body = 1 - tail
    value = np.where(right, -tail, -body)  # Φ − 1
    np.log1p(value, out=value)
    np.negative(value, out=value)
    r *= r
    r *= -0.5
    np.exp(r, out=r)
    r /= ROOT_2PI * np.where(right, body, tail)
    inner += r
    if len(left := np.flatnonzero(m < LEFT)):
        own = m[left]
        value[left], r[left] = -log_ndtr(own), (own_r := mills(own))
        inner[left] = rest(own, own_r) if own.min() < FAR else own + own_r
    return value, r, inner


def mills(m: Array) -> Array:
    """r = φ(m)/Φ(m), without cancellation or overflow anywhere."""
    return ROOT_2_OVER_PI / erfcx(m / -ROOT_2)


def log_mills(m: Array) -> Array:
    """ln r, also where r underflows."""
    right = -0.5 * m * m - 0.5 * np.log(2 * np.pi) - log_ndtr(m)
    return np.where(m > 0, right, np.log(mills(np.minimum(m, 0))))


def rest(m: Array, r: Array) -> Array:
    """m + r, for m → −∞ by  −(1 − 2/m² + 10/m⁴ − 74/m⁶)/m."""
    square = (1 / np.minimum(m, FAR)) ** 2
    series = (1 - square * (2 - square * (10 - 74 * square))) / -np.minimum(m, FAR)
    return np.where(m < FAR, series, m + r)
