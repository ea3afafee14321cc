"""Transforms of numbers: standardization, and cuts at the median."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import HUGE, ArrayLike, Matrix
from linclass.base.tables import Table
from linclass.preprocessing.transforms.base import Transform

CONSTANT = 1e-12  # of the second moment: a smaller variance of a column in blocks is rounding
FAR_UNIT = 2.0**664  # of values above HUGE, 1e200: in it all squares are floats
CANCELS = 1e-6  # of the second moment: a smaller variance is computed from the rows


class Standardize(Transform):
    """Standardize:  x_j → (x_j − m_j) / s_j, with mean and standard deviation of the training rows.

    Sparse rows are scaled but not centred, since centring would fill in every zero. Categorical and constant
    columns keep their scale (s_j = 1). Missing values are ignored and stay missing.

    Attributes
    ----------
    mean_, scale_ : array of shape (d,)
        Mean m_j and standard deviation s_j of each column.
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
            None if values are missing, or so large that squares overflow.
        """
        N, X = table.shape[0], table.X
        centre = np.zeros(table.shape[1]) if table.is_sparse else X.mean(axis=0)
        D = X if table.is_sparse else X - centre
        with np.errstate(over="ignore"):
            first, second = _sums(D)
        if not np.isfinite(second).all():
            return None
        varies = second > 0
        found = []
        for fold in folds:
            own_first, own_second = _sums(D[fold])
            n = N - len(fold)
            mean = (first - own_first) / n
            variance = (second - own_second) / n - mean**2
            lost = np.flatnonzero(varies & (variance <= CANCELS * second / N))
            scale = np.sqrt(np.where(varies, np.maximum(variance, 0), 1))
            mean = mean + centre
            if len(lost):
                others = np.delete(np.arange(N), fold)
                rows = X[others][:, lost] if table.is_sparse else X[np.ix_(others, lost)]
                mean[lost], scale[lost] = _moments_of(rows)
            found.append(type(self)()._take(table, mean, scale))
        return found

    @classmethod
    def for_blocks(cls, blocks: Iterable[Table], folds: Sequence[np.ndarray]) -> list[Self]:
        """The transforms fitted to the training rows of each fold, from one pass over blocks of dense rows.

        Parameters
        ----------
        blocks : iterable of Table
            Consecutive rows without missing values.
        folds : sequence of arrays of int
            Held-out rows of each fold.

        Returns
        -------
        list of Standardize
        """
        folds, begin, sums = [np.sort(fold) for fold in folds], 0, np.zeros((1 + len(folds), 2, 0))
        for table in blocks:
            if not begin:
                centre = _moments_of(table.X)[0]
                sums = np.zeros((1 + len(folds), 2, len(centre)))
            D, end = table.X - centre, begin + table.shape[0]
            sums[0] += _sums(D)
            for fold, own in zip(folds, sums[1:], strict=True):
                own += _sums(D[fold[slice(*np.searchsorted(fold, [begin, end]))] - begin])
            begin = end
        n = (begin - np.array([len(fold) for fold in folds]))[:, None]
        means, squares = np.moveaxis(sums[0] - sums[1:], 1, 0) / n
        variances = squares - means**2
        variances[variances <= CONSTANT * sums[0, 1] / max(begin, 1)] = 1
        moments = zip(means + centre, np.sqrt(variances), strict=True)
        return [cls()._take(table, mean, scale) for mean, scale in moments]

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


def _sums(D: Matrix) -> tuple[np.ndarray, np.ndarray]:
    """Σ x and Σ x² of each column."""
    if sp.issparse(D):
        return np.asarray(D.sum(axis=0)).ravel(), np.asarray(D.power(2).sum(axis=0)).ravel()
    return D.sum(axis=0), np.einsum("ij,ij->j", D, D)


def _moments_of(X: Matrix) -> tuple[np.ndarray, np.ndarray]:
    moments = _sparse_moments if sp.issparse(X) else _dense_moments
    with np.errstate(over="ignore", invalid="ignore"):
        mean, scale = moments(X)
    if len(far := np.flatnonzero(~(scale <= HUGE))):  # their squares may overflow
        mean[far], scale[far] = (FAR_UNIT * values for values in moments(X[:, far] / FAR_UNIT))
    return mean, scale


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


class Binarize(Transform):
    """Binarize: a number becomes 1 where it is above the median of its column in the training rows, else 0.

    Where nothing is above the median, as in a column whose most frequent value is its largest, the cut is the next
    value below. In sparse rows a zero stays a zero: no value below 0 becomes 1. Categories and missing values stay
    as they are.

    Attributes
    ----------
    threshold_ : array of shape (d,)
        A value above it becomes 1; NaN for a column of categories.
    """

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        self.threshold_ = _thresholds(table)
        return self

    def same_for(self, table: Table, folds: Sequence[np.ndarray]) -> bool:
        self.fit(table)
        for fold in folds:
            kept = np.ones(table.shape[0], bool)
            kept[fold] = False
            own = _thresholds(table.rows(kept))
            if not np.array_equal(own, self.threshold_, equal_nan=True):
                return False
        return True

    def transform(self, table: Table) -> Table:
        X = table.X.copy()
        values = X.data if table.is_sparse else X
        cut = np.maximum(self.threshold_, 0)[X.indices] if table.is_sparse else self.threshold_
        number = ~(np.isnan(values) | np.isnan(cut))
        np.copyto(values, values > cut, where=number)
        if table.is_sparse:
            X.eliminate_zeros()
        return replace(table, X=X)


def _thresholds(table: Table) -> np.ndarray:
    cut = np.zeros(table.shape[1])
    columns = _not_mostly_zero(table.X) if table.is_sparse else np.arange(len(cut))
    dense = table.X[:, columns].toarray() if table.is_sparse else table.X
    for j, values in zip(columns, dense.T, strict=True):
        cut[j] = _cut(values[~np.isnan(values)])
    cut[[table.names.index(name) for name in table.levels]] = np.nan
    return cut


def _not_mostly_zero(X: Matrix) -> np.ndarray:
    """Columns that a cut at 0 may not suit: of all others 0 is the median, and some value is above it."""
    d = X.shape[1]
    kinds = X.data > 0, X.data < 0, np.isnan(X.data)
    above, below, missing = (np.bincount(X.indices[kind], minlength=d) for kind in kinds)
    most = 2 * np.maximum(above, below) >= X.shape[0] - missing
    return np.flatnonzero(most | ((above == 0) & (below > 0)))


def _cut(values: np.ndarray) -> float:
    """The median, or the largest value below it where none is above."""
    if not len(values):
        return 0.0
    middle = float(np.median(values))
    below = values[values < middle]
    return float(below.max()) if len(below) and not (values > middle).any() else middle
