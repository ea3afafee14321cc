"""Transforms of counts of words: selection by frequency, and TF–IDF weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Self

import numpy as np

from linclass.base.arrays import ArrayLike
from linclass.base.messages import NotApplicable, counted
from linclass.base.parameters import is_number, require_flag, require_whole
from linclass.base.tables import Table
from linclass.preprocessing.transforms.base import Transform


def _occurrences(table: Table) -> np.ndarray:
    """Number of rows in which each column has a value that is present and not 0."""
    if not table.is_sparse:
        return ((table.X != 0) & ~np.isnan(table.X)).sum(axis=0)
    occurs = (table.X.data != 0) & ~np.isnan(table.X.data)
    return np.bincount(table.X.indices[occurs], minlength=table.shape[1])


class Vocabulary(Transform):
    """Vocabulary: keep the columns that occur in enough training rows, and not in too many.

        vocabulary: {min_rows: 2, max_share: 0.5, most: 20000}

    A column occurs in a row if its value there is not 0. This is frequency-based feature selection, fitted to
    training rows alone. Columns without any training row need no such step: they are always dropped
    (linclass_study/pipeline/transforming.py).
    Manning, Raghavan & Schütze (2008), Introduction to Information Retrieval, §13.5.3

    Parameters
    ----------
    min_rows : int
        Least number of training rows in which a column must occur.
    max_share : float
        Largest share of the training rows in which it may occur, above 0 and at most 1.
    most : int or None
        Number of columns to keep, those that occur in most rows; ties go to the earlier column.
        None keeps all.

    Attributes
    ----------
    kept_ : array of int
        Indices of the columns that are kept.
    """

    def __init__(self, min_rows: int = 1, max_share: float = 1.0, most: int | None = None):
        require_whole("vocabulary: min_rows", min_rows, 1)
        require_whole("vocabulary: most", most, 1, or_none=True)
        if not (is_number(max_share) and 0 < max_share <= 1):
            raise ValueError(
                f"vocabulary: max_share is {max_share!r}; it must be a number above 0, at most 1."
            )
        self.min_rows, self.max_share, self.most = min_rows, max_share, most

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        n, _ = table.shape
        rows = _occurrences(table)
        kept = (rows >= self.min_rows) & (rows <= self.max_share * n)
        if self.most is not None:
            rank = np.argsort(np.where(kept, -rows, 1), kind="stable")
            kept[rank[self.most :]] = False
        if not kept.any() and not table.levels:
            raise NotApplicable(
                f"vocabulary: none of the {len(kept)} columns occurs in {self.min_rows} or more of the "
                f"{counted(n, 'training row')}, and in at most {self.max_share:g} of them; "
                "lower min_rows or raise max_share."
            )
        for name in table.levels:  # the code 0 of a category is a level, too
            kept[table.names.index(name)] = True
        self.kept_ = np.flatnonzero(kept)
        return self

    def transform(self, table: Table) -> Table:
        return table.columns(self.kept_)


COUNTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "as_is": lambda x: x,
    "log": lambda x: 1 + np.log(x),
    "presence": np.ones_like,
}
NORMS = ("l1", "l2", "none")


class Idf(Transform):
    """TF–IDF: counts weighted by the rarity of their words, then rows of unit length.

        x_ij → t(x_ij) · w_j / ‖…‖,      w_j = ln((1 + n) / (1 + n_j)) + 1

    with n training rows, of which n_j have a nonzero value in column j. Without smoothing, w_j = ln(n / n_j) + 1,
    and 0 if n_j = 0. Zeros stay zeros and sparse rows sparse; categorical columns are unchanged.
    Salton & Buckley (1988), Term-weighting approaches in automatic text retrieval

    Parameters
    ----------
    counts : {'as_is', 'log', 'presence'}
        Function t of the counts: x, 1 + ln x, or 1; each is 0 where x is 0.
    smooth : bool
        Whether to add 1 to numerator and denominator of the weights.
    norm : {'l2', 'l1', 'none'} or None
        Norm of the weighted row by which it is divided; 'none' and None leave its length.

    Attributes
    ----------
    weight_ : array of shape (d,)
        Weight w_j of each column.
    """

    def __init__(self, counts: str = "as_is", smooth: bool = True, norm: str | None = "l2"):
        for name, value, known in (("counts", counts, [*COUNTS]), ("norm", norm, [*NORMS])):
            if value not in known and not (name == "norm" and value is None):
                raise ValueError(f"idf: {name} is {value!r}; choose one of {', '.join(known)}.")
        require_flag("idf: smooth", smooth)
        self.counts, self.smooth, self.norm = counts, smooth, norm or "none"

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        n, rows = table.shape[0], _occurrences(table)
        if self.smooth:
            self.weight_ = np.log((1 + n) / (1 + rows)) + 1
        else:
            self.weight_ = np.where(rows > 0, np.log(n / np.maximum(rows, 1)) + 1, 0)
        self.weight_[[table.names.index(name) for name in table.levels]] = 1
        return self

    def transform(self, table: Table) -> Table:
        X = table.X.copy()
        categories = np.isin(table.names, [*table.levels])
        values = X.data if table.is_sparse else X
        column = X.indices if table.is_sparse else np.arange(table.shape[1])
        present = (values != 0) & ~np.isnan(values) & ~categories[column]
        if self.counts == "log" and (values[present] < 0).any():
            raise NotApplicable(
                "idf: counts: log needs counts, and the data hold negative numbers; "
                "leave it out, or choose presence."
            )
        values[present] = COUNTS[self.counts](values[present])
        values *= self.weight_[column]
        if self.norm != "none":
            size = np.where(present, np.abs(values), 0)
            size = size**2 if self.norm == "l2" else size
            if table.is_sparse:
                row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
                total = np.bincount(row, size, minlength=X.shape[0])[row]
            else:
                total = size.sum(axis=1, keepdims=True)
            total = np.where(total > 0, total, 1)
            length = np.sqrt(total) if self.norm == "l2" else total
            np.divide(values, length, out=values, where=~categories[column])
        return replace(table, X=X)
