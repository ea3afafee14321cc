"""Compressed sparse rows in one normal form, so that equal content has equal bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


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
