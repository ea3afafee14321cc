"""Data whose truth is known: each public function here is a generator of labelled rows.

A generator takes a ``numpy.random.Generator`` and its own parameters, and returns X (n × d) and
the class codes y (n,), class after class. Adding one is adding one function. Randomness comes
only from the generator that is passed in, so a seed fixes the rows whatever else has run.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def generate(name: str, seed: int | Sequence[int] = 0, **parameters: Any) -> tuple[Any, np.ndarray]:
    """The rows of the generator called `name`, drawn from `seed` alone."""
    known = generators()
    if name not in known:
        raise ValueError(f"there is no generator '{name}'; there are: {', '.join(known)}.")
    return known[name](np.random.default_rng(seed), **parameters)


def generators() -> dict[str, Callable[..., tuple[Any, np.ndarray]]]:
    """Name → generator: the functions of this module whose first parameter is `rng`."""
    functions = [f for f in globals().values() if inspect.isfunction(f)]
    return {
        f.__name__: f for f in functions if next(iter(inspect.signature(f).parameters), "") == "rng"
    }


def gaussians(
    rng: np.random.Generator,
    means: Sequence[Sequence[float]],
    rows: Sequence[int],
    covariances: Any = "identity",
) -> tuple[np.ndarray, np.ndarray]:
    """Classes x | k ~ N(μ_k, Σ_k), drawn as μ_k + Σ_k^{1/2} z with z standard normal.

    means         K lists of d numbers, μ_k
    rows          K numbers of rows
    covariances   'identity'; K numbers v_k for Σ_k = v_k I; one d × d matrix for all classes;
                  or K such matrices

    The square root is V √Λ from Σ = V Λ Vᵀ, so a singular Σ is allowed: its rows lie in a
    subspace.                              Anderson (2003), Multivariate Statistical Analysis, §2.3
    """
    centers = rectangle(means, "means")
    n_classes, d = centers.shape
    if len(rows) != n_classes:
        raise ValueError(f"rows: {list(rows)} is for {len(rows)} classes, means for {n_classes}.")
    scales = square_roots(covariances, n_classes, d)
    X = np.vstack(
        [
            center + rng.standard_normal((n, d)) @ scale.T
            for center, n, scale in zip(centers, rows, scales, strict=True)
        ]
    )
    return X, np.repeat(np.arange(n_classes, dtype=np.int32), rows)


def rectangle(values: Any, name: str) -> np.ndarray:
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
