"""Columns of sparse rows without a nonzero value in the training rows are dropped from that fit.

The set of columns, such as the words of all texts, depends on held-out rows, too, and it matters: naive Bayes smooths
over all columns, and a kernel's γ and a shrunk covariance depend on their number. So a column without training rows
is dropped, as if the data set consisted of the training rows alone. Dense rows have the columns of their source,
which do not depend on the rows unless they are words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from linclass.base.arrays import Matrix
from linclass.base.tables import Table


class OccurringColumns:
    """A transform that is fitted to training rows."""

    def __init__(self, kept: np.ndarray):
        self.kept_ = kept

    def transform(self, table: Table) -> Table:
        return table.columns(self.kept_)


def of_training_rows(table: Table) -> OccurringColumns | None:
    """None if every column occurs, or if the columns do not depend on the rows."""
    if not (table.is_sparse or table.words):
        return None
    occurs = _rows_of_columns(table.X) > 0
    occurs[[table.names.index(name) for name in table.levels]] = True
    return None if occurs.all() or not occurs.any() else OccurringColumns(np.flatnonzero(occurs))


def _rows_of_columns(X: Matrix) -> np.ndarray:
    """Number of rows in which each column is not 0."""
    if sparse.issparse(X):
        return np.bincount(X.indices, minlength=X.shape[1])
    return np.count_nonzero(X, axis=0)


def fold_has_its_own(table: Table, folds: Sequence[np.ndarray]) -> bool:
    """Whether the held-out rows of some fold have a column that no other row has."""
    if not (table.is_sparse or table.words):
        return False
    counts = _rows_of_columns(table.X)
    for rows in folds:
        own = _rows_of_columns(table.X[rows])
        if ((own == counts) & (counts > 0)).any():
            return True
    return False
