"""The Bayes error of Gaussian classes, the least error of any classifier:  1 − E max_k P(k | x).

The method of computation depends on the classes (WAYS):
two, one covariance      Σ π_k Φ(±ln(π₁/π₀)/Δ − Δ/2),  Δ² = (μ₁ − μ₀)ᵀΣ⁻¹(μ₁ − μ₀), in closed form
several, one covariance  the regions are bounded by hyperplanes: Gaussian orthant probabilities
two covariances          P(q > 0) of a quadratic q of a Gaussian: one coordinate exactly, the others by integration
several covariances      the mean of 1 − max_k P(k | x) over scrambled Sobol sequences

Integrals are computed REPEATS times with different scrambling, which gives a mean and its standard error.

Duda, Hart & Stork (2001), §2.7; Genz (1992), J. Comput. Graph. Stat. 1
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import logsumexp, ndtr, ndtri

from linclass.base.arrays import Array
from linclass.base.messages import NotApplicable

POINTS = 2**15  # of a sequence, for each class
REPEATS = 8


def bayes_error(
    means: Sequence[Sequence[float]],
    covariances: Any = "identity",
    priors: Sequence[float] | None = None,
) -> float:
    """The Bayes error of the classes N(μ_k, Σ_k).

    Parameters
    ----------
    means : array of shape (K, d)
        Means μ_k.
    covariances : 'identity' or array, default='identity'
        'identity'; a number v_k per class for Σ_k = v_k I; one matrix (d, d) for all classes; or one
        per class.
    priors : sequence of K floats or None, default=None
        Relative frequencies of the classes. None is equal ones.

    Returns
    -------
    float

    Examples
    --------
    >>> bayes_error([[0, 0], [2, 2]])     # Φ(−√2)
    0.0786496...
    """
    return estimate(means, covariances, priors)[0]


def estimate(
    means: Sequence[Sequence[float]],
    covariances: Any = "identity",
    priors: Sequence[float] | None = None,
) -> tuple[float, float]:
    """The Bayes error of the classes N(μ_k, Σ_k), with its standard error.

    Parameters
    ----------
    means : array of shape (K, d)
        Means μ_k.
    covariances : 'identity' or array, default='identity'
        'identity'; a number v_k per class for Σ_k = v_k I; one matrix (d, d) for all classes; or one
        per class.
    priors : sequence of K floats or None, default=None
        Relative frequencies of the classes. None is equal ones.

    Returns
    -------
    (float, float)
        Error and standard error, 0 for a closed form.
    """
    M = rectangle(means, "means")
    K, d = M.shape
    roots = square_roots(covariances, K, d)
    if min(np.linalg.matrix_rank(root) for root in roots) < d:
        raise NotApplicable("a covariance is singular: its class has no density; give full rank.")
    shares = np.full(K, 1.0) if priors is None else np.asarray(priors, dtype=float)
    if shares.shape != (K,) or not (shares > 0).all():
        raise ValueError(f"priors is {priors!r}; it must be {K} numbers above 0.")
    shares = shares / shares.sum()
    C = np.array([root @ root.T for root in roots])
    common = bool((np.abs(C - C[0]) <= 1e-12 * np.abs(C).max()).all())
    way = WAYS[common, K == 2]
    found = np.array([way(M, roots, np.log(shares), seed) for seed in range(REPEATS)])
    deviation = 0.0 if np.ptp(found) == 0 else float(found.std(ddof=1))
    error = float(np.clip(found.mean(), 0, 1 - shares.max()))
    return error, deviation / REPEATS**0.5


def _two_of_one_covariance(M: Array, roots: Array, log_share: Array, seed: int) -> float:
    step = np.linalg.solve(roots[0], M[1] - M[0])
    delta = np.linalg.norm(step)
    if delta == 0:
        return float(np.exp(log_share.min()))
    odds = (log_share[1] - log_share[0]) / delta
    return float(np.exp(log_share) @ ndtr([odds - delta / 2, -odds - delta / 2]))


def _several_of_one_covariance(M: Array, roots: Array, log_share: Array, seed: int) -> float:
    """Under class k the differences z_l − z_k are Gaussian; the prediction is correct if none is positive."""
    white = np.linalg.solve(roots[0], M.T).T
    correct = 0.0
    for k, m in enumerate(white):
        steps = np.delete(white, k, axis=0) - m
        mean = np.delete(log_share, k) - log_share[k] - (steps**2).sum(axis=1) / 2
        # of equal classes the likelier is predicted, or the first
        same = (np.abs(steps) < 1e-12).all(axis=1)
        likelier = np.where(same, mean < 0, True) | (
            same & (mean == 0) & (np.arange(len(same)) >= k)
        )
        if not likelier.all():
            continue
        steps, mean = steps[~same], mean[~same]
        share = np.exp(log_share[k])
        correct += share * (_orthant(-mean, steps @ steps.T, seed) if len(mean) else 1.0)
    return 1 - correct


def _orthant(upper: Array, covariance: Array, seed: int) -> float:
    from scipy.stats import multivariate_normal  # slow to import

    normal = multivariate_normal(
        cov=covariance, allow_singular=True, seed=seed, maxpts=10**4, abseps=1e-6, releps=1e-6
    )
    return float(normal.cdf(upper))


def _two_covariances(M: Array, roots: Array, log_share: Array, seed: int) -> float:
    """Σ_k π_k P(q > 0 | k), with q the log-odds of the other class, a quadratic in standard normals u."""
    error = 0.0
    for k in range(2):
        other = 1 - k
        # x = μ_k + R_k u, in the whitened coordinates of the other class
        map_ = np.linalg.solve(roots[other], roots[k])
        shift = np.linalg.solve(roots[other], M[k] - M[other])
        values, V = np.linalg.eigh((np.eye(len(map_)) - map_.T @ map_) / 2)
        linear = V.T @ (-map_.T @ shift)
        volume = np.linalg.slogdet(map_)[1]
        constant = log_share[other] - log_share[k] + volume - shift @ shift / 2
        error += np.exp(log_share[k]) * _above_zero(values, linear, constant, seed)
    return error


def _above_zero(values: Array, linear: Array, constant: float, seed: int) -> float:
    """P(Σ λ_j u_j² + h_j u_j + c > 0): given the other coordinates, one is in or outside an interval.

    The rest is a smooth mean: by quadrature over one coordinate, by a Sobol sequence over more.
    """
    first = int(np.argmax(np.abs(values) + np.abs(linear)))
    a, b = values[first], linear[first]
    rest = np.delete(values, first), np.delete(linear, first)
    if len(values) == 1:
        return float(_outside_roots(a, b, np.array([constant]))[0])
    if len(values) == 2:
        from scipy.integrate import quad  # slow to import

        def density(u: float) -> float:
            c = np.array([constant + rest[0][0] * u * u + rest[1][0] * u])
            return float(_outside_roots(a, b, c)[0] * np.exp(-u * u / 2) / np.sqrt(2 * np.pi))

        pieces = itertools.pairwise(np.linspace(-9, 9, 37))
        return sum(quad(density, low, high, limit=200)[0] for low, high in pieces)
    uniform = _sobol(len(values) - 1, seed)
    U = ndtri(np.clip(uniform, 1e-12, 1 - 1e-12))
    return float(_outside_roots(a, b, constant + U**2 @ rest[0] + U @ rest[1]).mean())


def _sobol(d: int, seed: int) -> Array:
    from scipy.stats import qmc  # slow to import

    return qmc.Sobol(d, seed=seed).random(POINTS)


def _outside_roots(a: float, b: float, c: Array) -> Array:
    """P(a u² + b u + c > 0) for each c."""
    if abs(a) < 1e-14 * abs(b) or a == b == 0:
        return ndtr(c / abs(b)) if b else (c > 0).astype(float)
    root = np.sqrt(np.maximum(b * b - 4 * a * c, 0))
    low, high = np.sort([(-b - root) / (2 * a), (-b + root) / (2 * a)], axis=0)
    between = ndtr(high) - ndtr(low)  # nothing, where there are no roots
    return 1 - between if a > 0 else between


def _several_covariances(M: Array, roots: Array, log_share: Array, seed: int) -> float:
    d, error = M.shape[1], 0.0
    volumes = np.array([np.linalg.slogdet(root)[1] for root in roots])
    for k, root in enumerate(roots):
        uniform = _sobol(d, seed * len(M) + k)
        X = M[k] + ndtri(np.clip(uniform, 1e-12, 1 - 1e-12)) @ root.T
        distance = np.stack(
            [
                (np.linalg.solve(other, (X - m).T) ** 2).sum(axis=0)
                for m, other in zip(M, roots, strict=True)
            ]
        )
        joint = (log_share - volumes)[:, None] - distance / 2
        best = np.exp(joint.max(axis=0) - logsumexp(joint, axis=0))
        error += np.exp(log_share[k]) * float(1 - best.mean())
    return error


WAYS: dict[tuple[bool, bool], Callable[[Array, Array, Array, int], float]] = {
    (True, True): _two_of_one_covariance,
    (True, False): _several_of_one_covariance,
    (False, True): _two_covariances,
    (False, False): _several_covariances,
}


# Means and covariances of classes as they are written: a number, a matrix or one per class.


def rectangle(values: Any, name: str) -> np.ndarray:
    """`values` as a finite matrix, or ValueError."""
    try:
        array = np.asarray(values, dtype=float)
    except ValueError:
        raise ValueError(f"{name}: lists of different lengths; give each class as many.") from None
    if array.ndim != 2:
        raise ValueError(f"{name}: {values!r} is not a list with a list of numbers per class.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: {values!r} holds a number that is not finite; give finite ones.")
    return array


def square_roots(covariances: Any, n_classes: int, d: int) -> np.ndarray:
    """(K, d, d) matrices A with A Aᵀ = Σ_k."""
    if isinstance(covariances, str):
        if covariances != "identity":
            raise ValueError(
                f"covariances: '{covariances}' is not known; write identity, or numbers."
            )
        return np.broadcast_to(np.eye(d), (n_classes, d, d))
    try:
        given = np.asarray(covariances, dtype=float)
    except ValueError:
        raise ValueError("covariances: matrices of different sizes; give d × d numbers.") from None
    if given.shape == (n_classes,):
        given = given[:, None, None] * np.eye(d)
    elif given.shape == (d, d):
        given = np.broadcast_to(given, (n_classes, d, d))
    if given.shape != (n_classes, d, d):
        shape = " × ".join(map(str, given.shape)) or "one"
        raise ValueError(
            f"covariances: {shape} numbers; give identity, {n_classes} numbers, "
            f"a {d} × {d} matrix or {n_classes} of them."
        )
    return np.stack([_square_root(matrix) for matrix in given])


def _square_root(covariance: np.ndarray) -> np.ndarray:
    if not np.isfinite(covariance).all():
        raise ValueError(f"covariances: {covariance.tolist()} holds a number that is not finite.")
    rounding = 1e-12 * np.abs(covariance).max(initial=0)
    if not np.allclose(covariance, covariance.T, rtol=0, atol=rounding):
        raise ValueError(f"covariances: {covariance.tolist()} is not symmetric.")
    values, vectors = np.linalg.eigh(covariance)
    if values.min() < -1e-12 * max(abs(values).max(), 1e-300):
        raise ValueError(
            f"covariances: {covariance.tolist()} has the negative eigenvalue {values.min():.3g}."
        )
    return vectors * np.sqrt(np.maximum(values, 0))
