"""What a foreign estimator cannot be given: texts, categories, and missing values unless it has the tag `allow_nan`."""

from __future__ import annotations

import numpy as np

from linclass.annotations import EstimatorLike
from linclass.applicability import NotApplicable
from linclass.counted import counted
from linclass.table import Table


def require_numbers(table: Table, estimator: EstimatorLike) -> None:
    """Raise NotApplicable for texts, categories or missing values that the estimator cannot handle."""
    if table.texts:
        raise NotApplicable(
            f"column '{min(table.texts)}' holds texts; add count_words or hash_words to the method's features"
        )
    if table.levels:
        name = next(iter(table.levels))
        raise NotApplicable(f"column '{name}' is text; add one_hot to the method's transforms")
    require_values(table, estimator)


def require_values(table: Table, estimator: EstimatorLike, before: str = "") -> None:
    """`before` says which step of the transforms cannot handle them: ' before PCA'."""
    values = table.X.data if table.is_sparse else table.X
    if np.isnan(values).any() and not _allows_nan(estimator):
        missing = np.isnan(table.X.toarray() if table.is_sparse else table.X).sum(axis=0)
        column = int(np.argmax(missing > 0))
        raise NotApplicable(
            f"column '{table.names[column]}' has {counted(missing[column], 'missing value')} in the training rows; "
            f"add impute to the method's transforms{before}"
        )


def _allows_nan(estimator: EstimatorLike) -> bool:
    try:
        return bool(estimator.__sklearn_tags__().input_tags.allow_nan)
    except Exception:  # a foreign estimator without tags
        return False
