"""Rows as the caller has them, for an estimator inside that takes more than tables of finite numbers.

Data frames, texts, dicts and arrays of objects stay what they are. Arrays and sparse matrices of numbers are matrices
as everywhere, and may hold NaN, which only the estimator inside can judge.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.annotations import Index, MatrixLike
from linclass.base.validation import matrix


class GivenRows:
    """Rows that only the estimator inside reads, selected like those of an array.

    Parameters
    ----------
    rows : data frame, list or array
        The caller's rows.
    """

    def __init__(self, rows: Any):
        self.rows = rows

    @property
    def shape(self) -> tuple[int, ...]:
        """(n, d) of a table, (n,) of texts."""
        return tuple(getattr(self.rows, "shape", (len(self.rows),)))

    def __getitem__(self, index: Index) -> GivenRows:
        numbers = np.arange(self.shape[0])[index]
        if isinstance(self.rows, list | tuple):
            return GivenRows([self.rows[i] for i in numbers])
        return GivenRows(getattr(self.rows, "iloc", self.rows)[numbers])

    def copy(self) -> Any:
        """The caller's rows, copied."""
        return copy.copy(self.rows)


def as_given(X: MatrixLike, owner: str) -> Any:
    """A matrix of numbers, where NaN is allowed, or GivenRows."""
    if isinstance(X, GivenRows):
        return X
    if not _is_numeric(X):
        return GivenRows(X)
    return matrix(X, owner=owner, gaps=True)


def caller_rows(X: Any) -> MatrixLike:
    """The rows for a call of an estimator of any library."""
    return X.rows if isinstance(X, GivenRows) else X


def _is_numeric(X: MatrixLike) -> bool:
    """Whether this is an array, a list of lists or a sparse matrix of numbers, or nothing that has rows."""
    if sparse.issparse(X):
        return True
    if hasattr(X, "columns") and not isinstance(X, np.ndarray):
        return False
    if isinstance(X, list | tuple) and X and isinstance(X[0], str | Mapping):
        return False
    try:
        rows = np.asarray(X)
    except ValueError:  # lists that differ in length
        return False
    return rows.dtype.kind in "biufc" or not rows.ndim or not len(rows)
