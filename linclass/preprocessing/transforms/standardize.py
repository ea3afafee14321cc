"""Standardize:  x_j → (x_j − m_j) / s_j, with mean and standard deviation of the training rows.

Sparse rows are scaled but not centred, since centring would fill in every zero. Categorical and constant
columns keep their scale (s_j = 1). Missing values are ignored and stay missing.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import ArrayLike, Matrix
from linclass.base.tables import Table
from linclass.preprocessing.transforms.base import Transform

BLOCK = 2048  # rows
STACK = 1_000_000  # numbers in the sums of folds that are computed at once
CANCELS = 1e-6  # of the second moment: a smaller variance is computed from the rows


class Standardize(Transform):
    """Centres and scales the columns. It has no parameters.

    Attributes
    ----------
    mean_ : array of shape (d,)
        Mean m_j of each column.
    scale_ : array of shape (d,)
        Standard deviation s_j of each column.
    """

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        return self._take(table, *_moments_of(table.X))

    def for_folds(self, table: Table, folds: Sequence[np.ndarray]) -> list[Self] | None:
        """The transforms fitted to the training rows of each fold, from the sums of all rows minus those of the fold.

        The sums are of deviations from the overall mean (for sparse rows: of the values themselves), which
        limits cancellation. Columns in which much cancels are computed from the rows.

        Parameters
        ----------
        table : Table
            All rows.
        folds : sequence of arrays of int
            Held-out rows of each fold.

        Returns
        -------
        list of Standardize, or None
            None if values are missing.
        """
        sums = _Sums(table.X)
        if np.isnan(sums.total[1]).any():
            return None
        return [type(self)()._take(table, *moments) for moments in sums.without(folds)]

    def _take(self, table: Table, mean: np.ndarray, scale: np.ndarray) -> Self:
        self.mean_, self.scale_ = mean, scale
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
        return table.with_rows(X)


class _Sums:
    """Σ(x − c), Σ(x − c)² and the number of nonzero entries, over rows, for each column."""

    def __init__(self, X: Matrix):
        self.X = X
        self.centre = np.zeros(X.shape[1])
        if not sp.issparse(X):
            constant = X.min(axis=0) == X.max(axis=0)  # its rounded mean would leave a variance
            self.centre = np.where(constant, X[0], X.mean(axis=0))
        self.powers: tuple[Any, ...] = (X,)
        if sp.issparse(X):
            squares, entries = X.copy(), X.copy()
            squares.data, entries.data = X.data**2, (X.data != 0).astype(float)
            self.powers = (X, squares, entries)
        (self.total,) = self._over([np.arange(X.shape[0])])

    def _over(self, folds: Sequence[np.ndarray]) -> np.ndarray:
        """The sums (folds, 3, d): one sparse product, the fold indicators times the rows."""
        N, d = self.X.shape
        parts = np.concatenate(folds), np.cumsum([0, *map(len, folds)])
        belongs = sp.csr_array((np.ones(len(parts[0])), *parts), shape=(len(folds), N))
        if sp.issparse(self.X):
            return np.stack([(belongs @ power).toarray() for power in self.powers], axis=1)
        belongs, sums = belongs.tocsc(), np.zeros((len(folds), 3 * d))
        for begin in range(0, N, BLOCK):
            D = self.X[begin : begin + BLOCK] - self.centre
            sums += belongs[:, begin : begin + BLOCK] @ np.hstack([D, D * D, D != 0])
        return sums.reshape(-1, 3, d)

    def without(self, folds: Sequence[np.ndarray]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(mean, scale) of the training rows of each fold."""
        at_once = max(1, STACK // self.total.size)
        for begin in range(0, len(folds), at_once):
            some = folds[begin : begin + at_once]
            yield from zip(*self._without(some), strict=True)

    def _without(self, folds: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        N = self.X.shape[0]
        n = N - np.array([*map(len, folds)])[:, None]
        first, second, entries = np.moveaxis(self.total - self._over(folds), 1, 0)
        mean = first / n
        variance = second / n - mean**2
        empty = entries == 0  # all training rows are equal to the centre
        lost = (variance <= CANCELS * self.total[1] / N) & ~empty
        mean = np.where(empty, 0, mean) + self.centre
        scale = np.sqrt(np.where(empty | (variance <= 0), 1, variance))
        for j in np.flatnonzero(lost.any(axis=1)).tolist():
            columns, others = np.flatnonzero(lost[j]), np.delete(np.arange(N), folds[j])
            part = (
                self.X[others][:, columns]
                if sp.issparse(self.X)
                else self.X[np.ix_(others, columns)]
            )
            mean[j, columns], scale[j, columns] = _moments_of(part)
        return mean, scale


def _moments_of(X: Matrix) -> tuple[np.ndarray, np.ndarray]:
    return _sparse_moments(X) if sp.issparse(X) else _dense_moments(X)


def _dense_moments(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(mean, scale) of the values that are not missing, in two passes to avoid cancellation."""
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)  # both ignore NaN
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
    """(mean, scale). A constant column is recognized by its range: its rounded mean would leave a variance."""
    constant = low == high
    scale = np.where(constant | (variance == 0), 1, np.sqrt(variance))
    return np.where(constant, low, mean), scale
