"""Content of a file as its format reads it: named columns, sparse counts, or rows that stay in their file.

Every format returns one of these. Classes, order and codes are decided later.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse


@dataclass(frozen=True)
class Columns:
    """Named columns, the target among them: numbers are Float64, text is String, null is missing."""

    frame: pl.DataFrame
    target: str | None = None  # the source's own target; `target:` of the entry overrides it
    split: np.ndarray | None = None  # int8: 0 train, 1 test; None if the file has no split
    bayes_error: tuple[float, float] | None = None  # of generated rows, with its standard error


@dataclass(frozen=True)
class Counts:
    """Sparse matrix with the labels of its rows."""

    X: Any  # csr_array, float64, columns in their final order
    names: list[str]
    labels: list[str]
    split: np.ndarray  # int8: 0 train, 1 test; all 0 if the file has no split
    are_words: bool = False  # then columns that are 0 in all kept rows are dropped
    bayes_error: tuple[float, float] | None = None  # as in Columns


@dataclass(frozen=True)
class InFile:
    """Rows that stay in a Parquet file: names of numeric columns, and the class of each row."""

    path: Path
    names: list[str]
    y: np.ndarray  # (n,) int32, indices into classes
    classes: list[str]
    digest: str
    groups: np.ndarray | None = None  # (n,) int32, group of each row


Content = Columns | Counts | InFile


# Compressed sparse rows in one normal form, so that equal content has equal bytes.


def from_triplets(
    row: np.ndarray, column: np.ndarray, value: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    """X[row, column] += value.

    Floating-point sums depend on their order, so duplicate entries are added in ascending order, whatever the order of
    the source.
    """
    order = np.lexsort((value, column, row))
    row, column, value = row[order], column[order], value[order]
    new = np.ones(len(row), dtype=bool)
    new[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
    starts = np.flatnonzero(new)
    with np.errstate(over="ignore", invalid="ignore"):  # infinite sums are refused later, by column
        total = np.add.reduceat(value, starts) if len(starts) else value
    total = np.where(np.isnan(total), np.inf, total)  # ∞ − ∞, which is not missing but refused, too
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row[starts], minlength=shape[0]))])
    return plain_csr(sparse.csr_array((total, column[starts], indptr), shape=shape))


def plain_csr(X: Any) -> sparse.csr_array:
    """CSR with float64 values, without explicit zeros, and with sorted 32-bit indices."""
    X = sparse.csr_array(X, dtype=np.float64)
    X.eliminate_zeros()
    X.sort_indices()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X
