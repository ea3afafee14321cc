"""Means and covariances of classes as they are written: a number, a matrix or one per class."""

from __future__ import annotations

from typing import Any

import numpy as np


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
