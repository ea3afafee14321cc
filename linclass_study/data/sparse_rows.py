"""Compressed sparse rows in one form only, so that equal content is equal memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def from_triplets(
    row: np.ndarray, column: np.ndarray, value: np.ndarray, shape: tuple[int, int]
) -> Any:
    """X[row, column] += value. Floating-point sums depend on their order, so values of one place
    are added from the smallest to the largest, in whatever order the source had them."""
    order = np.lexsort((value, column, row))
    row, column, value = row[order], column[order], value[order]
    new = np.ones(len(row), dtype=bool)
    new[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
    starts = np.flatnonzero(new)
    with np.errstate(over="ignore", invalid="ignore"):  # infinite sums are refused by column
        total = np.add.reduceat(value, starts) if len(starts) else value
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row[starts], minlength=shape[0]))])
    return plain(sparse.csr_array((total, column[starts], indptr), shape=shape))


def plain(X: Any) -> Any:
    """float64 values without explicit zeros, 32-bit indices in ascending order."""
    X = sparse.csr_array(X, dtype=np.float64)
    X.eliminate_zeros()
    X.sort_indices()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X
