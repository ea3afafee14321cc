"""The score of rows by a two-class classifier, which may come from any library."""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import EstimatorLike, MatrixLike
from linclass.base.offsets import offset_for
from linclass.base.predicted import own_copy


def two_class_score(inner: EstimatorLike, X: MatrixLike, offset: np.ndarray | None) -> np.ndarray:
    """Score of each row; a foreign classifier may return a column for each of the two classes."""
    has_scores = hasattr(inner, "decision_function")
    method = inner.decision_function if has_scores else inner.predict_proba
    Z = np.asarray(method(own_copy(X, inner), **offset_for(method, offset)), dtype=float)
    if not has_scores:
        return Z[:, 1] - 0.5
    return Z[:, 1] - Z[:, 0] if Z.ndim == 2 and Z.shape[1] == 2 else Z.ravel()
