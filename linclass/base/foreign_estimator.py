"""Estimators of other libraries: they get copies, since they may change their input, and NumPy's default integers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.annotations import EstimatorLike, MatrixLike
from linclass.base.applicability import NotApplicable


def is_ours(estimator: EstimatorLike) -> bool:
    """Whether it is of linclass."""
    return type(estimator).__module__.startswith("linclass.")


@contextmanager
def noting_sparse_rows(estimator: Any, X: MatrixLike) -> Iterator[None]:
    """Add to an exception of a foreign estimator, or of one inside ours, that its rows are sparse: many expect arrays,
    and fail with a message that does not say so.
    """
    try:
        yield
    except (NotApplicable, MemoryError):
        raise
    except Exception as error:
        if sparse.issparse(X) and _has_foreign(estimator):
            error.add_note(
                f"(X is a SciPy {type(X).__name__}; `dense: true` in the data set's entry gives an array, "
                "as does a transform such as principal_components)"
            )
        raise


def _has_foreign(estimator: Any) -> bool:
    inside = estimator.get_params().values() if is_ours(estimator) else ()
    return any(hasattr(one, "fit") and not is_ours(one) for one in (estimator, *inside))


def own_copy(X: MatrixLike, estimator: EstimatorLike) -> MatrixLike:
    """The rows; for foreign estimators a copy, of GivenRows of the caller's rows."""
    return X if is_ours(estimator) else X.copy()


def own_codes(y: np.ndarray, estimator: EstimatorLike) -> np.ndarray:
    """The class codes; for foreign estimators a copy with NumPy's default integers."""
    return y if is_ours(estimator) else y.astype(np.int64)
