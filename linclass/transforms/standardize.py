"""Standardize:  x_j → (x_j − m_j) / s_j, with mean and standard deviation of the training rows.

Sparse rows are scaled only: centring would make every zero a number. Columns of categories and
constant columns keep their scale (s_j = 1). Missing values stay missing and do not count.
"""

from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from linclass.table import Table


class Standardize:
    def fit(self, table: Table, y: Any = None) -> Self:
        self.mean_, self.scale_ = (_sparse_moments if table.is_sparse else _dense_moments)(table.X)
        for name in table.levels:
            j = table.names.index(name)
            self.mean_[j], self.scale_[j] = 0, 1
        return self

    def transform(self, table: Table) -> Table:
        if table.is_sparse:
            X = table.X.copy()
            X.data /= self.scale_[X.indices]
        else:
            X = table.X - self.mean_
            X /= self.scale_
        return replace(table, X=X)


def _dense_moments(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(mean, scale) of the values that are there; two passes, so that squares do not cancel."""
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)  # both look past NaN
    mean = X.mean(axis=0)
    if np.isfinite(mean).all():
        count: Any = len(X)
        D = X - mean
    else:
        present = ~np.isnan(X)
        count = np.maximum(present.sum(axis=0), 1)
        mean = np.where(present, X, 0).sum(axis=0) / count
        D = np.where(present, X - mean, 0)
    return _moments(mean, np.einsum("ij,ij->j", D, D) / count, low, high)


def _sparse_moments(X: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
    n, d = X.shape
    low, high = X.nanmin(axis=0).toarray().ravel(), X.nanmax(axis=0).toarray().ravel()
    present = ~np.isnan(X.data)
    column, value = X.indices[present], X.data[present]
    count = np.maximum(n - np.bincount(X.indices[~present], minlength=d), 1)
    mean = np.bincount(column, value, minlength=d) / count
    squares = np.bincount(column, (value - mean[column]) ** 2, minlength=d)
    zeros = count - np.bincount(column, minlength=d)
    return _moments(mean, (squares + zeros * mean**2) / count, low, high)


def _moments(
    mean: np.ndarray, variance: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(mean, scale); a constant is told by its range, since the rounded mean leaves it a spread."""
    constant = low == high
    scale = np.where(constant | (variance == 0), 1, np.sqrt(variance))
    return np.where(constant, low, mean), scale
