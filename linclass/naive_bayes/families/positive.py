"""Exponential families of positive numbers and shares.

Gamma, beta and Dirichlet distributions take the solution of equations in the digamma function ψ, to full precision by
Newton's method, vectorized:

    gamma_shape            ln a − ψ(a) = s
    dirichlet_parameters   ψ(α_i) − ψ(Σ α) = g_i,  i = 1 … m

Both are likelihood equations, so the solution is the maximum of a concave function, and steps that do not increase
it are shortened. For large a the left side is computed by its asymptotic series, because subtraction would cancel all
digits.   Minka (2000), Estimating a Dirichlet distribution; Abramowitz & Stegun, 6.3.18
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from scipy.special import betaln, digamma, gammaln, polygamma

from linclass.base.arrays import Array, Matrix
from linclass.base.messages import NotApplicable
from linclass.base.numerics import halve_each
from linclass.naive_bayes.families.base import AtLeastZero, Family, as_dense, total

MIN_LOG_SPREAD = 1e-14  # ln(mean of x) − mean of ln x, below which it is rounding
SLACK = 1e-6  # relative to the sum of a row
LARGE = 30.0
MAX_STEPS = 60
LAST = 1e-8  # relative step after which the next one is below the last digit (its square)
LAST_DIGITS = 1e-13  # relative to ψ(α) − ψ(Σ α)
NEWTON_TOL = 1e-3  # relative step below which Newton's method needs no line search
CONSTANT = 1e-13  # distance of Σ e^{g} to 1 that is rounding


class Exponential(AtLeastZero):
    """Exponential: independent waiting times, feature j with rate λ_j.

    T(x) = x,  θ = −λ,  A(θ) = −Σ_j ln(−θ_j),  h = 1;  the mean of x is 1/λ.

    `smoothing` (0 by default) rows of the mean of all rows are added to each class.
    """

    support: ClassVar[str] = "times"
    values: ClassVar[str] = "numbers of at least 0"

    def natural(self, mean: Array) -> Array:
        return -1 / mean

    def log_normalizer(self, theta: Array) -> Array:
        return -np.log(-theta).sum(axis=-1)


class Gamma(Family):
    """Gamma: independent positive features with shape a and rate b.

    T(x) = (ln x, x),  θ = (a, −b),  A(θ) = Σ_j ln Γ(a_j) − a_j ln b_j,  h = Π_j 1 / x_j.

    The shape solves  ln a − ψ(a) = ln(mean of x) − mean of ln x  numerically; then b = a / mean of x.
    `smoothing` (0 by default) rows with the overall mean of T are added to each class.
    """

    support: ClassVar[str] = "positive"
    values: ClassVar[str] = "numbers above 0"

    def statistic(self, X: Matrix) -> Iterator[Any]:
        X = as_dense(X)
        yield np.log(X)
        yield X

    def natural(self, mean: Array) -> Array:
        log_x, x = np.split(mean, 2, axis=-1)
        a = gamma_shape(np.log(x) - log_x)
        return np.concatenate([a, -a / x], axis=-1)

    def remaining_step(self, theta: Array, mean: Array) -> float:
        log_x, x = np.split(mean, 2, axis=-1)
        a = np.split(theta, 2, axis=-1)[0]
        return float(gamma_remaining_step(a, np.log(x) - log_x).max(initial=0))

    def log_normalizer(self, theta: Array) -> Array:
        a, minus_b = np.split(theta, 2, axis=-1)
        return (gammaln(a) - a * np.log(-minus_b)).sum(axis=-1)

    def contains(self, x: Array) -> Array:
        return x > 0

    def inside(self, mean: Array) -> tuple[Array, Array]:
        log_x, x = np.split(mean, 2, axis=-1)
        constant = np.log(x) - log_x < MIN_LOG_SPREAD * (1 + np.abs(log_x))
        log_x = np.where(constant, np.log(x) - MIN_LOG_SPREAD * (1 + np.abs(log_x)), log_x)
        return np.concatenate([log_x, x], axis=-1), constant


class Beta(Family):
    """Beta: independent features between 0 and 1, with parameters a and b.

    T(x) = (ln x, ln(1 − x)),  θ = (a, b),  A(θ) = Σ_j ln Γ(a_j) + ln Γ(b_j) − ln Γ(a_j + b_j),
    h = Π_j 1 / (x_j (1 − x_j)).  (a, b) solves Dirichlet's equations for two shares numerically.

    `smoothing` (0 by default) rows with the overall mean of T are added to each class.
    """

    support: ClassVar[str] = "unit interval"
    values: ClassVar[str] = "numbers between 0 and 1"

    def statistic(self, X: Matrix) -> Iterator[Any]:
        X = as_dense(X)
        yield np.log(X)
        yield np.log1p(-X)

    def natural(self, mean: Array) -> Array:
        return _apart(dirichlet_parameters(_pairs(mean)))

    def remaining_step(self, theta: Array, mean: Array) -> float:
        return float(dirichlet_remaining_step(_pairs(theta), _pairs(mean)).max(initial=0))

    def log_normalizer(self, theta: Array) -> Array:
        return betaln(*np.split(theta, 2, axis=-1)).sum(axis=-1)

    def contains(self, x: Array) -> Array:
        return (x > 0) & (x < 1)

    def inside(self, mean: Array) -> tuple[Array, Array]:
        pairs = _pairs(mean)
        return _apart(off_the_edge(pairs)), lacks_spread(pairs)


def _pairs(mean: Array) -> Array:
    """(…, 2 d) → (…, d, 2)."""
    return np.stack(np.split(mean, 2, axis=-1), axis=-1)


def _apart(pairs: Array) -> Array:
    return np.concatenate([pairs[..., 0], pairs[..., 1]], axis=-1)


class Dirichlet(Family):
    """Dirichlet: each row consists of d positive shares with sum 1.

    T(x) = ln x,  θ = α,  A(θ) = Σ_j ln Γ(α_j) − ln Γ(Σ_j α_j),  h = Π_j 1 / x_j.

    α solves  ψ(α_j) − ψ(Σ α) = mean of ln x_j  numerically.
    `smoothing` (0 by default) rows with the overall mean of T are added to each class.
    Minka (2000), Estimating a Dirichlet distribution
    """

    support: ClassVar[str] = "simplex"
    values: ClassVar[str] = "shares between 0 and 1 that sum to 1"

    def statistic(self, X: Matrix) -> Iterator[Any]:
        X = as_dense(X)
        yield np.log(X)

    def natural(self, mean: Array) -> Array:
        return dirichlet_parameters(mean)

    def remaining_step(self, theta: Array, mean: Array) -> float:
        return float(dirichlet_remaining_step(theta, mean).max(initial=0))

    def log_normalizer(self, theta: Array) -> Array:
        return gammaln(theta).sum(axis=-1) - gammaln(theta.sum(axis=-1))

    def contains(self, x: Array) -> Array:
        return (x > 0) & (x < 1)

    def check_rows(self, X: Matrix, names: Any, owner: str) -> None:
        super().check_rows(X, names, owner)
        sums = total(X)
        row = int(np.abs(sums - 1).argmax())
        if abs(sums[row] - 1) > SLACK:
            raise NotApplicable(
                f"{owner} takes {self.values}; row {row} sums to {sums[row]:g}. "
                "Divide each row by its sum."
            )

    def inside(self, mean: Array) -> tuple[Array, Array]:
        constant = np.broadcast_to(lacks_spread(mean)[..., None], mean.shape)
        return off_the_edge(mean), constant


def gamma_shape(s: Array) -> Array:
    """a > 0 with ln a − ψ(a) = s, s > 0."""
    a = (3 - s + np.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s)  # within 1.5 %
    for _ in range(MAX_STEPS):
        step = (_log_minus_digamma(a) - s) / (a * _slope(a))  # of ln a
        a = a * np.exp(-np.clip(step, -1, 1))
        if (np.abs(step) <= LAST).all():
            break
    return a


def gamma_remaining_step(a: Array, s: Array) -> Array:
    """The remaining Newton step of ln a."""
    return np.abs((_log_minus_digamma(a) - s) / (a * _slope(a)))


def dirichlet_remaining_step(alpha: Array, g: Array) -> Array:
    """The remaining Newton step of ln α: 0 where g is met to its last digits, ∞ where no solution exists."""
    shape, alpha, g = alpha.shape, alpha.reshape(-1, alpha.shape[-1]), g.reshape(-1, g.shape[-1])
    with np.errstate(all="ignore"):
        step = np.abs(_newton_step(alpha, g) / alpha)
        missed = digamma(alpha) - digamma(alpha.sum(axis=1, keepdims=True)) - g
        met = np.abs(missed) <= LAST_DIGITS * (1 + np.abs(g))
    step = np.where(np.isfinite(step), step, np.inf)
    return np.where(met.all(axis=1, keepdims=True), 0, step).reshape(shape)


def _log_minus_digamma(a: Array) -> Array:
    r = 1 / np.maximum(a, LARGE) ** 2
    series = 0.5 / np.maximum(a, LARGE) + r * (
        1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132)))
    )
    return np.where(a < LARGE, np.log(a) - digamma(a), series)


def _slope(a: Array) -> Array:
    """1/a − ψ′(a)."""
    b = np.maximum(a, LARGE)
    r = 1 / b**2
    series = -r * (0.5 + (1 / 6 - r * (1 / 30 - r * (1 / 42 - r / 30))) / b)
    return np.where(a < LARGE, 1 / a - polygamma(1, a), series)


def dirichlet_parameters(g: Array) -> Array:
    """α (…, m) with ψ(α_i) − ψ(Σ α) = g_i (…, m), where Σ e^g < 1."""
    shape, g = g.shape, g.reshape(-1, g.shape[-1])
    alpha = _start(g)
    value = _likelihood(alpha, g)
    for _ in range(MAX_STEPS):
        step = _newton_step(alpha, g) / alpha  # of ln α, so that α stays positive
        alpha, value = _ascend(alpha, value, step, g)
        if (np.abs(step) <= LAST + 2e-15 * alpha).all():
            break
    return alpha.reshape(shape)


def _ascend(alpha: Array, value: Array, step: Array, g: Array) -> tuple[Array, Array]:
    """α and its likelihood after a step of ln α, halved where it would decrease."""
    near = np.abs(step).max(axis=1) <= NEWTON_TOL

    def evaluate(size: Array) -> tuple[Array, Array]:
        trial = alpha * np.exp(np.clip(size[:, None] * step, -2, 2))
        return trial, _likelihood(trial, g)

    return halve_each(evaluate, lambda new: ~(new[1] < value) | near, len(g))


def _start(g: Array) -> Array:
    """Shares e^g, and their sum from the distance of Σ e^g to 1: about (m − 1)/2 divided by it.

    For a tiny share, ψ(α) ≈ −1/α is a better start.
    """
    whole = np.exp(g).sum(axis=1, keepdims=True)
    whole = np.clip(whole, 1e-300, 1 - 1e-15)
    total = (g.shape[1] - 1) / (-2 * np.log(whole)) + 0.5
    return np.maximum(np.exp(g) / whole * total, 1 / (2 - g))


def _likelihood(alpha: Array, g: Array) -> Array:
    return gammaln(alpha.sum(axis=1)) - gammaln(alpha).sum(axis=1) + (alpha * g).sum(axis=1)


def _newton_step(alpha: Array, g: Array) -> Array:
    """−H⁻¹∇ with H = diag(q) + z 11ᵀ, by Sherman and Morrison."""
    total = alpha.sum(axis=1, keepdims=True)
    gradient = digamma(total) - digamma(alpha) + g
    q, z = -polygamma(1, alpha), polygamma(1, total)
    common = (gradient / q).sum(axis=1, keepdims=True) / (
        1 / z + (1 / q).sum(axis=1, keepdims=True)
    )
    return -(gradient - common) / q


def lacks_spread(g: Array) -> Array:
    """Whether these means of ln x are those of a constant x: then Σ e^g = 1 up to rounding."""
    return np.exp(g).sum(axis=-1) > 1 - CONSTANT


def off_the_edge(g: Array) -> Array:
    """g, decreased where x lacks variance, so that a solution exists."""
    whole = np.exp(g).sum(axis=-1, keepdims=True)
    return g - np.where(lacks_spread(g)[..., None], np.log(whole / (1 - CONSTANT)), 0)
