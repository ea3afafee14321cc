"""Probit loss  ℓ(m) = −ln Φ(m),  margin m = y·z,  Φ the normal distribution function.

The negative log-likelihood of P(y | z) = Φ(y·z). With Mills' ratio r = φ(m)/Φ(m) its slope is −r and its curvature
r (m + r). For negative margins it grows like m²/2, where the logistic loss grows like |m|.
Bishop (2006), §4.3.5; Finney (1947), Probit Analysis
"""

from __future__ import annotations

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr

from linclass.losses.base import MarginLoss
from linclass.numerics import Array

LEFT = -3.0  # left of it φ and Φ are so small that their quotient would lose digits
RIGHT = 39.0  # from it on r is 0
FAR = -100.0  # left of it m + r is taken from its series, for the difference would lose its digits
TINY = 1e-300


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
    tail, right = ndtr(-np.abs(inner)), inner > 0
    value = np.where(right, np.log1p(-tail), np.log(np.maximum(tail, TINY)))
    np.negative(value, out=value)
    r = np.exp(-0.5 * inner * inner)
    r /= np.sqrt(2 * np.pi) * np.where(right, 1 - tail, tail)
    above = inner + r
    if (left := m < LEFT).any():
        own = m[left]
        value[left], r[left] = -log_ndtr(own), mills(own)
        above[left] = rest(own, r[left])
    return value, r, above


def mills(m: Array) -> Array:
    """r = φ(m)/Φ(m), without cancellation or overflow anywhere."""
    return np.sqrt(2 / np.pi) / erfcx(-m / np.sqrt(2))


def log_mills(m: Array) -> Array:
    """ln r, also where r underflows."""
    right = -0.5 * m * m - 0.5 * np.log(2 * np.pi) - log_ndtr(m)
    return np.where(m > 0, right, np.log(mills(np.minimum(m, 0))))


def rest(m: Array, r: Array) -> Array:
    """m + r, for m → −∞ by  −(1 − 2/m² + 10/m⁴ − 74/m⁶)/m."""
    square = (1 / np.minimum(m, FAR)) ** 2
    series = (1 - square * (2 - square * (10 - 74 * square))) / -np.minimum(m, FAR)
    return np.where(m < FAR, series, m + r)
