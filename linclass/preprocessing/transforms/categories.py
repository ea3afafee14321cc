"""Transforms of categories, and of missing values: one-hot coding, codes, imputation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import ArrayLike, Matrix
from linclass.base.messages import NotApplicable, counted, require_memory
from linclass.base.tables import Table, new_names
from linclass.preprocessing.transforms.base import Transform


class OneHot(Transform):
    """One-hot: a categorical column becomes a column of zeros and ones for each level but the first.

    This is treatment coding: with all levels the columns would add up to the constant, and neither LDA nor an
    unpenalized model would have a unique solution (drop='none' keeps all levels, for penalized models). The
    levels are those of the training rows; a row with another level is coded as the first one.
    Hastie, Tibshirani & Friedman (2009), §2.2

    Parameters
    ----------
    drop : {'first', 'none'} or None
        Whether the first level has no column; 'none' and None keep all levels.

    Attributes
    ----------
    codes_ : dict
        Name of each categorical column → codes of the levels that have a column.
    """

    def __init__(self, drop: str | None = "first"):
        if drop not in ("first", "none", None):
            raise ValueError(f"one_hot: drop is {drop!r}; it must be 'first' or 'none'.")
        self.drop = drop

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        if table.texts:
            raise NotApplicable(
                f"column {min(table.texts)!r} holds texts, not categories; count their words with "
                "the feature count_words or hash_words."
            )
        skipped = 1 if self.drop == "first" else 0
        self.codes_ = {name: np.unique(_complete(table, name))[skipped:] for name in table.levels}
        return self

    def same_for(self, table: Table, folds: Sequence[np.ndarray]) -> bool:
        self.fit(table)
        return _folds_have_all_levels(table, table.levels, folds)

    def transform(self, table: Table) -> Table:
        if not table.levels:
            return table
        n, width = len(table.names), sum(len(codes) for codes in self.codes_.values())
        if not table.is_sparse:
            size = 8 * table.shape[0] * (n + width)
            require_memory(size, f"one_hot makes {width} dense columns")
        pieces: list[Any] = []
        names: list[str] = []
        # (column, code) → colour=red, or colour=red (2) where a column is called so; of all levels, so that they are
        # the same for all training rows
        keys = [(name, code) for name in table.levels for code in range(len(table.levels[name]))]
        new = [f"{name}={table.levels[name][code]}" for name, code in keys]
        indicators = dict(zip(keys, new_names(table.names, new), strict=True))
        start = 0
        for j, name in enumerate(table.names):
            if name not in table.levels:
                continue
            equal = (_complete(table, name)[:, None] == self.codes_[name]).astype(np.float64)
            pieces += [table.X[:, start:j], sp.csr_array(equal) if table.is_sparse else equal]
            names += table.names[start:j]
            names += [indicators[name, int(code)] for code in self.codes_[name]]
            start = j + 1
        pieces.append(table.X[:, start:])
        names += table.names[start:]
        X = sp.hstack(pieces, format="csr") if table.is_sparse else np.hstack(pieces)
        return replace(table, X=X, names=tuple(names), levels={})


def _complete(table: Table, name: str) -> np.ndarray:
    """The codes of a categorical column without missing values."""
    column = table.column(table.names.index(name))
    if missing := int(np.isnan(column).sum()):
        raise NotApplicable(
            f"column {name!r} has {counted(missing, 'missing value')}; put impute before one_hot."
        )
    return column.astype(np.int64)


def _folds_have_all_levels(
    table: Table, columns: Iterable[str], folds: Sequence[np.ndarray]
) -> bool:
    """Whether the training rows of every fold have all levels of these columns that occur."""
    for name in columns:
        column = table.column(table.names.index(name))
        counts = np.bincount(_present(column))
        for held_out in folds:
            own = np.bincount(_present(column[held_out]), minlength=len(counts))
            if ((own == counts) & (counts > 0)).any():
                return False
    return True


def _present(column: np.ndarray) -> np.ndarray:
    """The codes of a column that are not missing."""
    return column[~np.isnan(column)].astype(np.int64)


class Codes(Transform):
    """Codes: a category becomes the index of its level among those of the training rows, 0, 1, 2, …

    The index is not a measurement. It is for classifiers of categories (CategoricalNB; ExponentialFamilyNB with
    the family `categorical`); other classifiers need `one_hot` instead. A level without training rows gets the
    index after the last one, which does not influence the score. If it were numbered among the others, a
    held-out row would change the number of levels. Columns of texts are unchanged.

    Attributes
    ----------
    levels_ : dict
        Name of each categorical column → codes of its levels in the training rows.
    """

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        self.levels_ = {
            name: np.unique(_present(table.column(table.names.index(name))))
            for name in _categories(table)
        }
        return self

    def same_for(self, table: Table, folds: Sequence[np.ndarray]) -> bool:
        self.fit(table)
        return _folds_have_all_levels(table, _categories(table), folds)

    def transform(self, table: Table) -> Table:
        X = table.X
        if self.levels_:
            X = X.tolil() if table.is_sparse else X.copy()
            for name, levels in self.levels_.items():
                j = table.names.index(name)
                codes = table.column(j)
                known = np.isin(codes, levels)
                place = np.where(known, np.searchsorted(levels, codes), len(levels)).astype(float)
                X[:, j] = np.where(np.isnan(codes), np.nan, place)  # missing values stay missing
            X = sp.csr_array(X) if table.is_sparse else X
        return replace(table, X=X, levels={name: table.levels[name] for name in table.texts})


def _categories(table: Table) -> list[str]:
    return [name for name in table.levels if name not in table.texts]


class Impute(Transform):
    """Impute: a missing number becomes the column's mean or median, a missing category the most frequent one.

    The zeros of sparse rows are values and not missing: a mean is over all entries that are not NaN. A
    column without any value becomes 0.

    Parameters
    ----------
    numbers : {'mean', 'median'}
        What replaces a missing number.

    Attributes
    ----------
    fill_ : array of shape (d,)
        What replaces the missing values of each column.
    """

    def __init__(self, numbers: str = "mean"):
        if numbers not in ("mean", "median"):
            raise ValueError(f"impute: numbers is {numbers!r}; it must be 'mean' or 'median'.")
        self.numbers = numbers

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        if self.numbers == "mean":
            self.fill_ = _means(table.X)
        else:
            columns = (table.column(j) for j in range(table.shape[1]))
            self.fill_ = np.array([0.0 if np.isnan(c).all() else np.nanmedian(c) for c in columns])
        for name in table.levels:
            j = table.names.index(name)
            counts = np.bincount(_present(table.column(j)))
            self.fill_[j] = counts.argmax() if len(counts) else 0
        return self

    def same_for(self, table: Table, folds: Sequence[np.ndarray]) -> bool:
        """Whether no value is missing, so that every fold leaves the rows as they are."""
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
        present = np.where(missing, 0, X) if missing.any() else X  # no copy where it is not needed
        total, count = present.sum(axis=0), n - missing.sum(axis=0)
    return total / np.maximum(count, 1)
