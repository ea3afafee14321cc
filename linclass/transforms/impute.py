"""Impute: a missing number becomes the column's mean (or median), a missing category the commonest.

The zeros of sparse rows are values, not gaps: a mean is over all entries that are not NaN. A
column without a single value becomes 0.
"""

from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from linclass.table import Table

NUMBERS = ("mean", "median")


class Impute:
    def __init__(self, numbers: str = "mean"):
        if numbers not in NUMBERS:
            raise ValueError(f"impute: numbers is {numbers!r}; it must be 'mean' or 'median'.")
        self.numbers = numbers

    def fit(self, table: Table, y: Any = None) -> Self:
        self.fill_ = _means(table.X) if self.numbers == "mean" else _medians(table.X)
        for name in table.levels:
            j = table.names.index(name)
            codes = _values(table.X, j).astype(np.int64)
            self.fill_[j] = np.bincount(codes).argmax() if len(codes) else 0
        return self

    def same_for(self, table: Table, folds: Any) -> bool:
        """Where nothing is missing, every fold leaves these rows as they are: nothing is learned."""
        return not np.isnan(table.X.data if table.is_sparse else table.X).any()

    def transform(self, table: Table) -> Table:
        values = table.X.data if table.is_sparse else table.X
        missing = np.isnan(values)
        if not missing.any():
            return table
        X = table.X.copy()
        if table.is_sparse:
            X.data[missing] = self.fill_[X.indices[missing]]
        else:
            X[missing] = self.fill_[np.nonzero(missing)[1]]
        return replace(table, X=X)


def _means(X: Any) -> np.ndarray:
    n, d = X.shape
    if sp.issparse(X):
        missing = np.isnan(X.data)
        total = np.bincount(X.indices, np.where(missing, 0, X.data), minlength=d)
        count = n - np.bincount(X.indices[missing], minlength=d)
    else:
        missing = np.isnan(X)
        total, count = np.where(missing, 0, X).sum(axis=0), n - missing.sum(axis=0)
    return total / np.maximum(count, 1)


def _medians(X: Any) -> np.ndarray:
    columns = (_values(X, j) for j in range(X.shape[1]))
    return np.array([np.median(values) if len(values) else 0.0 for values in columns])


def _values(X: Any, j: int) -> np.ndarray:
    """The entries of column j that are there."""
    column = X[:, [j]].toarray().ravel() if sp.issparse(X) else X[:, j]
    return column[~np.isnan(column)]
