"""Sums of squares of the columns and of the rows of a matrix, some rows at a time, to save memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from scipy import sparse

from linclass.base.annotations import Matrix
from linclass.base.numerics.arrays import BLOCK, Array

ENTRIES = 500_000  # of sparse rows that are squared at a time


def squares_of_columns(X: Matrix, weights: Array) -> Array:
    """Σ_i w_i x_ij² of every column."""
    out = np.zeros(X.shape[1])
    if sparse.issparse(X):
        for rows, S in _squares(X):
            out += S.T @ weights[rows]
    else:
        for start in range(0, len(X), BLOCK):
            B = X[start : start + BLOCK]
            out += weights[start : start + BLOCK] @ (B * B)
    return out


def squares_of_rows(X: Matrix) -> Array:
    """Σ_j x_ij² of every row."""
    if sparse.issparse(X):
        ones = np.ones(X.shape[1])
        return np.concatenate([S @ ones for _, S in _squares(X)])
    return np.einsum("ij,ij->i", X, X)


def _squares(X: sparse.csr_array) -> Iterator[tuple[slice, sparse.csr_array]]:
    """The squared entries of some rows after the other."""
    n, d = X.shape
    cuts = X.indptr.searchsorted(np.arange(0, X.nnz, ENTRIES))
    for start, stop in pairwise(np.unique([0, *cuts, n])):
        own, pointers = slice(X.indptr[start], X.indptr[stop]), X.indptr[start : stop + 1]
        parts = X.data[own] ** 2, X.indices[own], pointers - pointers[0]
        yield slice(start, stop), sparse.csr_array(parts, shape=(stop - start, d))
