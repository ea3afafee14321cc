"""Impute: a missing number becomes the column's mean or median, a missing category the most frequent one.

The zeros of sparse rows are values and not missing: a mean is over all entries that are not NaN. A
column without any value becomes 0.
"""

from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import ArrayLike, Matrix
from linclass.base.tables import Table
from linclass.preprocessing.transforms.base import Transform

NUMBERS = ("mean", "median")


class Impute(Transform):
    """Replaces missing values.

    Parameters
    ----------
    numbers : {'mean', 'median'}, default='mean'
        What replaces a missing number.

    Attributes
    ----------
    fill_ : array of shape (d,)
        What replaces the missing values of each column.
    """

    def __init__(self, numbers: str = "mean"):
        if numbers not in NUMBERS:
            raise ValueError(f"impute: numbers is {numbers!r}; it must be 'mean' or 'median'.")
        self.numbers = numbers

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        self.fill_ = _means(table.X) if self.numbers == "mean" else _medians(table.X)
        for name in table.levels:
            j = table.names.index(name)
            codes = _values(table.X, j).astype(np.int64)
            self.fill_[j] = np.bincount(codes).argmax() if len(codes) else 0
        return self

    def same_for(self, table: Table, folds: Any) -> bool:
        """Whether no value is missing, so that every fold leaves the rows as they are.

        Parameters
        ----------
        table : Table
            All rows.
        folds : sequence of arrays of int
            Held-out rows of each fold.

        Returns
        -------
        bool
        """
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


def _means(X: Matrix) -> np.ndarray:
    n, d = X.shape
    if sp.issparse(X):
        missing = np.isnan(X.data)
        total = np.bincount(X.indices, np.where(missing, 0, X.data), minlength=d)
        count = n - np.bincount(X.indices[missing], minlength=d)
    else:
        missing = np.isnan(X)
        total, count = np.where(missing, 0, X).sum(axis=0), n - missing.sum(axis=0)
    return total / np.maximum(count, 1)


def _medians(X: Matrix) -> np.ndarray:
    columns = (_values(X, j) for j in range(X.shape[1]))
    return np.array([np.median(values) if len(values) else 0.0 for values in columns])


def _values(X: Matrix, j: int) -> np.ndarray:
    """The entries of column j that are not missing."""
    column = X[:, [j]].toarray().ravel() if sp.issparse(X) else X[:, j]
    return column[~np.isnan(column)]
