"""Columns of sparse rows without a nonzero value in the training rows are dropped from that fit.

The set of columns, such as the words of all texts, depends on held-out rows, too, and it matters: naive Bayes smooths
over all columns, and a kernel's γ and a shrunk covariance depend on their number. So a column without training rows
is dropped, as if the data set consisted of the training rows alone. Dense rows have the columns of their source,
which do not depend on the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linclass.tables.table import Table


class OccurringColumns:
    """A transform that is fitted to training rows."""

    def __init__(self, kept: np.ndarray):
        self.kept_ = kept

    def transform(self, table: Table) -> Table:
        return table.columns(self.kept_)


def of_training_rows(table: Table) -> OccurringColumns | None:
    """None if every column occurs, or if the rows are dense."""
    if not table.is_sparse:
        return None
    occurs = np.bincount(table.X.indices, minlength=table.shape[1]) > 0
    occurs[[table.names.index(name) for name in table.levels]] = True
    return None if occurs.all() or not occurs.any() else OccurringColumns(np.flatnonzero(occurs))


def fold_has_its_own(table: Table, folds: Sequence[np.ndarray]) -> bool:
    """Whether the held-out rows of some fold have a column that no other row has."""
    if not table.is_sparse:
        return False
    X, d = table.X, table.shape[1]
    counts = np.bincount(X.indices, minlength=d)
    for rows in folds:
        own = np.bincount(X[rows].indices, minlength=d)
        if ((own == counts) & (counts > 0)).any():
            return True
    return False
