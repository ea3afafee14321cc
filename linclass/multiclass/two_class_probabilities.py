"""Probabilities of rows by a two-class classifier, which may come from any library, for their combination."""

from __future__ import annotations

import numpy as np

from linclass.annotations import EstimatorLike, MatrixLike
from linclass.conventions.predicted import predictions_of
from linclass.numerics.arrays import Array


def require_probabilities(inner: EstimatorLike, purpose: str) -> None:
    """Raise ValueError for a classifier without `predict_proba`, which `purpose` needs."""
    if not hasattr(inner, "predict_proba"):
        name = type(inner).__name__
        raise ValueError(
            f"{name} has no predict_proba; {purpose} needs it. Use Calibrated({name}())."
        )


def log_pair(inner: EstimatorLike, X: MatrixLike, offset: Array | None, purpose: str) -> Array:
    """Log-probabilities (n, 2)."""
    found = predictions_of(inner, X, 2, offset)[2]
    if found is None:
        raise ValueError(f"{type(inner).__name__} gave no probabilities; {purpose} needs them.")
    return found


def log_odds(pair: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return pair[:, 1] - pair[:, 0]
