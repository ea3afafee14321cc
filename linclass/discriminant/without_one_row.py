"""Leave-one-out scores: each row by the model of all others, for about the cost of one fit.

Leaving row x of weight w out of class k, with weight n, mean m and scatter S, is a rank-one update: with u = x − m,
c = n/(n − w) and g = w c,
    m′ = m − w u/(n − w),   x − m′ = c u,   S′ = S − g u uᵀ,
    S′⁻¹ = S⁻¹ + S⁻¹u uᵀS⁻¹ g/(1 − g q),   det S′ = (1 − g q) det S,   q = uᵀS⁻¹u,
so only inner products with S⁻¹ are needed. Rows that are the last of their class, or the only ones with variance
in some direction, are marked `lone` and get a fit of their own.
Sherman & Morrison (1950); Ripley (1996), Pattern Recognition and Neural Networks, §2.7, §3.4
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array
from linclass.discriminant.class_moments import ClassMoments
from linclass.discriminant.covariance import Spread
from linclass.discriminant.from_statistics import Priors, class_priors, log_priors

LONE = 1e-4  # lower bound of 1 − g q, the remaining share of the scatter along u, and of 1/c, that of the weight
NARROW_VARIANCE = 1e-8  # of the overall variance of a feature: below it a fit may raise a variance


def tied_without_one_row(
    X: Array, codes: Array, weights: Array, moments: ClassMoments, spread: Spread, ddof: int
) -> tuple[Array, Array]:
    """(scores, lone): θ_kᵀx − A(θ_k) about the mean of the others, for Gaussians with one covariance.

    `spread` factors the pooled scatter S itself, not S/f.
    """
    n, centre, mass = moments.total, moments.centre, moments.mass
    Y = spread.whiten(X - centre)
    means = np.vstack([spread.whiten(moments.mean - centre), np.zeros(Y.shape[1])])  # and centre
    products, lengths = Y @ means.T, np.einsum("ij,ij->i", Y, Y)
    own = np.take_along_axis(products, codes[:, None], axis=1)
    squares = lengths[:, None] - 2 * products + (means**2).sum(axis=1)  # ‖x − m_l‖²
    cross = lengths[:, None] - products - own + (means @ means.T)[codes]  # (x − m_k)·(x − m_l)
    c, last = _growth(mass[codes], weights)
    g, q = weights * c, np.take_along_axis(squares, codes[:, None], axis=1)[:, 0]
    left, f = 1 - g * q, n - weights - ddof * len(mass)
    safe = np.where(left > LONE, left, 1)
    squares += (g / safe)[:, None] * cross**2
    np.put_along_axis(squares, codes[:, None], (c**2 * q / safe)[:, None], axis=1)
    squares[:, -1] *= (n / (n - weights)) ** 2  # x from the mean of the others
    lone = (left <= LONE) | last | (f <= 0)
    return f[:, None] / 2 * (squares[:, -1:] - squares[:, :-1]), lone


def full_without_one_row(
    X: Array,
    codes: Array,
    weights: Array,
    moments: ClassMoments,
    spreads: list[Spread],
    ddof: int,
) -> tuple[Array, Array]:
    """(ln N(x; m_k, Σ_k) + const, lone), for a covariance in each class.

    `spreads` factor the scatters S_k.
    """
    (n, d), K = X.shape, len(spreads)
    Z, lone = np.empty((n, K)), np.zeros(n, dtype=bool)
    for k, (m, spread) in enumerate(zip(moments.mean, spreads, strict=True)):
        Y = spread.whiten(X - m)
        q = np.einsum("ij,ij->i", Y, Y)
        nk = moments.mass[k]
        f = nk - ddof
        Z[:, k] = -0.5 * (f * q + spread.log_volume - d * np.log(f))
        own = np.flatnonzero(codes == k)
        c, last = _growth(nk, weights[own])
        f = nk - weights[own] - ddof
        left = 1 - weights[own] * c * q[own]
        lone[own] = (left <= LONE) | last | (f <= 0)
        safe, f = np.where(lone[own], 1, left), np.where(lone[own], 1, f)
        volume = spread.log_volume + np.log(safe) - d * np.log(f)
        Z[own, k] = -0.5 * (f * c**2 * q[own] / safe + volume)
    return Z, lone


def diagonal_without_one_row(
    X: Array,
    codes: Array,
    weights: Array,
    moments: ClassMoments,
    smoothing: float,
    same_variances: bool,
) -> tuple[Array, Array]:
    """(Σ_j ln N(x_j; m_kj, σ²_kj) + const, lone), σ² with `smoothing` times the largest variance."""
    n, mass, K = moments.total, moments.mass, len(moments.mass)
    U, w = X - moments.mean[codes], weights[:, None]
    c, last = _growth(mass[codes], weights)
    c, rest = c[:, None], n - w
    off_centre = X - moments.centre
    step = moments.mean - moments.centre
    whole = moments.pooled + mass @ step**2  # scatter of all rows about their mean
    total = (whole - w * n / rest * off_centre**2) / rest
    floor = smoothing * total.max(axis=1, keepdims=True)
    gone = w * c * U**2  # decrease of the scatter of the class
    variance = (moments.pooled - gone) / rest + floor
    own_scatter = moments.pooled if same_variances else moments.scatter[codes]
    rounding = n * moments.negligible**2
    lost = (gone >= (1 - LONE) * own_scatter) & (own_scatter > rounding)
    lost |= (rest * total <= LONE * whole) & (whole > rounding)
    Z, lone = np.empty((len(X), K)), last | lost.any(axis=1)
    for k, m in enumerate(moments.mean):
        own = codes == k
        if not same_variances:
            variance = moments.scatter[k] / mass[k] + floor
            others = np.where(last[own, None], 1, mass[k] - w[own])
            variance[own] = (moments.scatter[k] - gone[own]) / others + floor[own]
        low = variance <= NARROW_VARIANCE * total
        if low.any():
            lone |= low.any(axis=1)
            variance[low] = 1
        squares = (X - m) ** 2
        squares[own] *= c[own] ** 2
        if same_variances:  # a common term does not change linear scores
            squares -= (n / rest * off_centre) ** 2
        squares /= variance
        squares += np.log(variance)
        Z[:, k] = -0.5 * squares.sum(axis=1)
    return Z, lone


def log_priors_of_others(given: Priors, codes: Array, weights: Array, mass: Array) -> Array:
    """ln π of each class, given (K,), or its frequency among the other rows (n, K)."""
    if given is not None:
        return log_priors(class_priors(given, mass))
    counts = np.tile(mass, (len(codes), 1))
    counts[np.arange(len(codes)), codes] -= weights
    return log_priors(np.maximum(counts, 0) / (mass.sum() - weights)[:, None])


def _growth(n: Array, w: Array) -> tuple[Array, Array]:
    """(c = n/(n − w), whether hardly any weight is left)."""
    last = n - w <= LONE * n
    return n / np.where(last, n, n - w), last
