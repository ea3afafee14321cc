"""Binarize: a number becomes 1 where it is above the median of its column in the training rows, else 0.

Where nothing is above the median, as in a column whose most frequent value is its largest, the cut is the next
value below. In sparse rows a zero stays a zero: no value below 0 becomes 1. Categories and missing values stay
as they are.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

import numpy as np

from linclass.base.arrays import ArrayLike, Matrix
from linclass.base.tables import Table
from linclass.preprocessing.transforms.base import Transform


class Binarize(Transform):
    """Cuts each column of numbers at its median.

    Attributes
    ----------
    threshold_ : array of shape (d,)
        A value above it becomes 1; NaN for a column of categories.
    """

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        self.threshold_ = _thresholds(table)
        return self

    def same_for(self, table: Table, folds: Sequence[np.ndarray]) -> bool:
        """Whether every fold cuts the columns where all rows do.

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
    above, below, missing = (
        np.bincount(X.indices[kind], minlength=d)
        for kind in (X.data > 0, X.data < 0, np.isnan(X.data))
    )
    most = 2 * np.maximum(above, below) >= X.shape[0] - missing
    return np.flatnonzero(most | ((above == 0) & (below > 0)))


def _cut(values: np.ndarray) -> float:
    """The median, or the largest value below it where none is above."""
    if not len(values):
        return 0.0
    middle = float(np.median(values))
    below = values[values < middle]
    return float(below.max()) if len(below) and not (values > middle).any() else middle
