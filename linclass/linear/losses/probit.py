"""The probit loss and Mills' ratio."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr, ndtri

from linclass.base.arrays import SMALLEST, Array
from linclass.linear.losses.base import MarginLoss

TAIL_LEFT = -3.0  # left of it φ and Φ are so small that their quotient would lose digits
RIGHT = 39.0  # from it on r is 0
TAIL = 30.0  # from it on ln Φ is 0
STEEP = 20.0  # slope from which r⁻¹(a) ≈ 1/a − a
MARGIN_TOLERANCE = 1e-5  # last step of a margin
SERIES_BELOW = -100.0  # below it m + r is taken from its series: the difference loses its digits
MOST_EXPLAINED = 0.9  # share of s² in 1 + s², in a start from least squares
ROOT_2, ROOT_2PI, ROOT_2_OVER_PI = 2**0.5, (2 * np.pi) ** 0.5, (2 / np.pi) ** 0.5


class Probit(MarginLoss):
    """Probit loss  ℓ(m) = −ln Φ(m),  margin m = y·z,  Φ the normal distribution function.

    The negative log-likelihood of P(y | z) = Φ(y·z). With Mills' ratio r = φ(m)/Φ(m) its slope is −r and its curvature
    r (m + r). For negative margins it grows like m²/2, where the logistic loss grows like |m|.
    Bishop (2006), §4.3.5; Finney (1947), Probit Analysis
    """

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
        """Scores z ~ N(z̄, s²) have P(1) = Φ(h), h = z̄/√(1 + s²), and least squares explains 4 φ(h)² s²/(1 + s²)."""
        h = ndtri((1 + mean) / 2)
        twice = ROOT_2_OVER_PI * np.exp(-0.5 * h * h)  # 2 φ(h)
        share = np.clip(explained / (twice * twice), 0, MOST_EXPLAINED)
        spread = 1 / np.sqrt(1 - share)  # √(1 + s²)
        return ROOT_2_OVER_PI * spread / twice, h * spread

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array]:
        value, r, above = value_and_mills(y * z)
        above *= r
        r *= -y
        return value, r, above

    def conjugate(self, a: Array) -> Array:
        """ℓ*(−a) = max over m of −a m + ln Φ(m),  at the m with r(m) = a > 0; 0 at a = 0.

        ln r is concave and falls with slope −(m + r), so Newton's steps for it never pass the root again once they are
        on its right. The conjugate is a maximum, so an error e of m changes it by less than e².
        """
        out = np.where(a < 0, np.inf, 0.0)
        inside = a > 1e-300  # below, the conjugate is 0 to rounding, and 1/a overflows
        a = a[inside]
        log_a = np.log(a)
        m = np.where(a < STEEP, np.interp(-log_a, -LOG_R, MARGINS), 1 / a - a)
        for _ in range(50):
            r = mills(m)
            step = (log_mills(m, r) - log_a) / above(m, r)
            m += step
            small = np.abs(step) <= MARGIN_TOLERANCE * (1 + np.abs(m))
            if small.all():  # the next step would be its square
                break
        out[inside] = log_ndtr(m) - a * m
        return out


def value_and_mills(m: Array) -> tuple[Array, Array, Array]:
    """(−ln Φ, r, m + r), of most m from one value of Φ, that of −|m|: neither it nor ln(1 − Φ(−|m|)) cancels."""
    inner = np.clip(m, TAIL_LEFT, RIGHT)
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
    if len(left := np.flatnonzero(m < TAIL_LEFT)):
        own = m[left]
        value[left], r[left] = -log_ndtr(own), (own_r := mills(own))
        inner[left] = above(own, own_r)
    return value, r, inner


def mills(m: Array) -> Array:
    """r = φ(m)/Φ(m), without cancellation or overflow anywhere."""
    return ROOT_2_OVER_PI / erfcx(m / -ROOT_2)


def log_mills(m: Array, r: Array) -> Array:
    """ln r, also where r underflows."""
    if m.max(initial=0) < TAIL:
        return np.log(r)
    tail = np.maximum(m, TAIL)  # where Φ = 1
    return np.where(
        m < TAIL, np.log(np.maximum(r, SMALLEST)), -0.5 * tail * tail - np.log(ROOT_2PI)
    )


def above(m: Array, r: Array) -> Array:
    """m + r, for m → −∞ by  −(1 − 2/m² + 10/m⁴ − 74/m⁶)/m."""
    if m.min(initial=0) >= SERIES_BELOW:
        return m + r
    square = (1 / np.minimum(m, SERIES_BELOW)) ** 2
    series = (1 - square * (2 - square * (10 - 74 * square))) / -np.minimum(m, SERIES_BELOW)
    return np.where(m < SERIES_BELOW, series, m + r)


MARGINS = np.linspace(-STEEP, TAIL, 1000)
LOG_R = np.log(mills(MARGINS))
