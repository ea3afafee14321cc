"""The Bayes error of Gaussian classes, the least error of any classifier:  1 − E max_k P(k | x).

two, one covariance   Σ π_k Φ(±ln(π₁/π₀)/Δ − Δ/2),  Δ² = (μ₁ − μ₀)ᵀΣ⁻¹(μ₁ − μ₀), in closed form
one dimension         1 − ∫ max_k π_k f_k(x) dx, by quadrature
others                the mean of 1 − max_k P(k | x) over scrambled Sobol sequences, REPEATS times with different
                      scrambling, which gives a mean and its standard error

Classes of one covariance differ only in the coordinates along the differences of their means.
Duda, Hart & Stork (2001), §2.7
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
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
    """(the Bayes error of the classes N(μ_k, Σ_k), its standard error, 0 of an exact one); as `bayes_error`."""
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
    log_share = np.log(shares)
    if (np.abs(C - C[0]) <= 1e-12 * np.abs(C).max()).all():
        if K == 2:
            return _two_of_one_covariance(M, roots[0], log_share), 0.0
        M = np.linalg.solve(roots[0], M.T).T
        U, s, _ = np.linalg.svd(M - M[0], full_matrices=False)
        r = max(1, int((s > 1e-12 * s[0]).sum()))
        M = U[:, :r] * s[:r]  # coordinates in the space of the differences of means
        roots = np.broadcast_to(np.eye(M.shape[1]), (K, M.shape[1], M.shape[1]))
    if M.shape[1] == 1:
        return _on_a_line(M[:, 0], np.abs(roots[:, 0, 0]), shares), 0.0
    found = np.array([_by_sequences(M, roots, log_share, seed) for seed in range(REPEATS)])
    error = float(np.clip(found.mean(), 0, 1 - shares.max()))
    return error, float(found.std(ddof=1)) / REPEATS**0.5


def _two_of_one_covariance(M: Array, root: Array, log_share: Array) -> float:
    delta = np.linalg.norm(np.linalg.solve(root, M[1] - M[0]))
    if delta == 0:
        return float(np.exp(log_share.min()))
    odds = (log_share[1] - log_share[0]) / delta
    return float(np.exp(log_share) @ ndtr([odds - delta / 2, -odds - delta / 2]))


def _on_a_line(means: Array, deviations: Array, shares: Array) -> float:
    from scipy.integrate import quad  # slow to import

    def best(x: float) -> float:
        z = (x - means) / deviations
        return float((shares * np.exp(-z * z / 2) / deviations).max()) / np.sqrt(2 * np.pi)

    ends = np.unique(means + np.multiply.outer(np.arange(-9, 10), deviations))
    return float(1 - sum(quad(best, a, b)[0] for a, b in itertools.pairwise(ends)))


def _by_sequences(M: Array, roots: Array, log_share: Array, seed: int) -> float:
    from scipy.stats import qmc  # slow to import

    d, error = M.shape[1], 0.0
    volumes, inverses = np.linalg.slogdet(roots)[1], np.linalg.inv(roots)
    for k, root in enumerate(roots):
        uniform = qmc.Sobol(d, seed=seed * len(M) + k).random(POINTS)
        X = M[k] + ndtri(np.clip(uniform, 1e-12, 1 - 1e-12)) @ root.T
        distances = [
            (((X - m) @ inverse.T) ** 2).sum(axis=1) for m, inverse in zip(M, inverses, strict=True)
        ]
        joint = (log_share - volumes)[:, None] - np.stack(distances) / 2
        best = np.exp(joint.max(axis=0) - logsumexp(joint, axis=0))
        error += np.exp(log_share[k]) * float(1 - best.mean())
    return error


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
