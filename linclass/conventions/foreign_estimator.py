"""Estimators of other libraries: they get copies, since they may change their input, and NumPy's default integers."""

from __future__ import annotations

import numpy as np

from linclass.annotations import EstimatorLike, MatrixLike


def is_ours(estimator: EstimatorLike) -> bool:
    """Whether it is of linclass."""
    return type(estimator).__module__.startswith("linclass.")


def own_copy(X: MatrixLike, estimator: EstimatorLike) -> MatrixLike:
    """The rows; for foreign estimators a copy, of GivenRows of the caller's rows."""
    return X if is_ours(estimator) else X.copy()


def own_codes(y: np.ndarray, estimator: EstimatorLike) -> np.ndarray:
    """The class codes; for foreign estimators a copy with NumPy's default integers."""
    return y if is_ours(estimator) else y.astype(np.int64)
