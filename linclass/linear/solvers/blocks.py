"""Consecutive rows, in blocks with their Gram matrix and in random order, for rules that learn row by row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix, Seed, hashes, scrambled

# A random order of rows that depends on what the rows contain, not on the order in which they are given.
#
# The rows are sorted by a random hash of their features and class, so equal rows are neighbours. A classifier that
# learns from one row after another then gives the same result for a row of weight two and for the row twice,
# wherever the two stand, and for dense and sparse rows.


def random_order(X: Matrix, codes: Array, seed: Seed) -> Array:
    """Indices of the rows in an order drawn by `seed`."""
    rng = np.random.default_rng(seed)
    keys = hashes(X, rng) + hashes(codes[:, None] + 1.0, rng)
    return np.argsort(keys, kind="stable")


def next_order(keys: Array, rng: np.random.Generator) -> Array:
    """Indices of the rows in another order, from their hashes; rows of one hash are neighbours."""
    salt = rng.integers(1 << 63, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return np.argsort(scrambled(keys * salt), kind="stable")


# Blocks of consecutive rows [x 1] with their Gram matrix K = X Xᵀ.
#
# The scores of a block are computed once, at its start. When row i is corrected by a_i x_i, the scores of the other
# rows of the block change by a_i K_ij, without a product with the features.

BLOCK_ROWS = 64  # a block costs a few calls of NumPy, and K costs BLOCK_ROWS products for each row
SLAB = 64 * BLOCK_ROWS  # rows that are made dense at a time
STORED_BYTES = 12  # bytes of a stored entry and its column
DENSE_SHARE = 0.05  # share of stored entries from which sparse rows are made dense, block by block


class Block:
    """Dense rows."""

    def __init__(self, rows: Any, first: int):
        self.rows = rows  # (b, width)
        self.slice = slice(first, first + rows.shape[0])  # its rows among all
        self.response: Any = None  # what a classifier computes of the block once for all passes

    def gram(self) -> Array:
        """K, which its user keeps in the form that it needs."""
        return np.asarray(self.rows @ self.rows.T)

    def scores(self, theta: Array) -> Array:
        """(b,), or (b, K) for theta (width, K)."""
        return np.asarray(self.rows @ theta)

    def row(self, i: int) -> tuple[Any, Array]:
        """(features, values) of a row; all features if dense."""
        return slice(None), self.rows[i]

    def add(self, theta: Array, coefficients: Array) -> None:
        """θ ← θ + Σ_i a_i x_i."""
        theta += self.rows.T @ coefficients


class SparseBlock(Block):
    """Sparse rows: only the features that occur in them are touched."""

    def gram(self) -> Array:
        own = self._occurring
        return np.asarray(own.T @ own.toarray())  # a dense factor, as two sparse ones take longer

    @cached_property
    def features(self) -> Array:
        return np.flatnonzero(np.bincount(self.rows.indices, minlength=self.rows.shape[1]) > 0)

    @cached_property
    def _occurring(self) -> Matrix:
        """The features that occur in some row, (c, b)."""
        places = np.empty(self.rows.shape[1], dtype=np.int32)
        places[self.features] = np.arange(len(self.features))
        parts = self.rows.data, places[self.rows.indices], self.rows.indptr
        return sparse.csr_array(parts, shape=(self.rows.shape[0], len(self.features))).T

    def row(self, i: int) -> tuple[Any, Array]:
        own = slice(self.rows.indptr[i], self.rows.indptr[i + 1])
        return self.rows.indices[own], self.rows.data[own]

    def add(self, theta: Array, coefficients: Array) -> None:
        changes = np.count_nonzero(coefficients)
        if theta.ndim == 1 or 2 * changes > len(coefficients):
            sums = self._occurring @ coefficients
            theta[self.features] = sums + theta.take(self.features, axis=0)  # faster than +=
            return
        for i, k in zip(*np.nonzero(coefficients), strict=True):  # two classes of some rows
            features, values = self.row(i)
            theta[features, k] += coefficients[i, k] * values


def stays_sparse(X: Matrix) -> bool:
    return sparse.issparse(X) and X.nnz < DENSE_SHARE * X.shape[0] * X.shape[1]


def bytes_of_blocks(X: Matrix, intercept: bool, kept: bool, grams: bool) -> int:
    """Memory that the blocks of these rows take, all of them if they are `kept` and else those of a slab.

    `grams`: each block keeps its Gram matrix or one of its size.
    """
    n, width = X.shape[0], X.shape[1] + intercept
    rows = n if kept else min(n, SLAB)
    if stays_sparse(X):
        copies = (
            3 if kept else 2
        )  # rows with the constant, those of blocks, and as features that occur
        own = copies * (STORED_BYTES * X.nnz + (STORED_BYTES + 4) * n)
    elif intercept or sparse.issparse(X):
        own = 8 * width * (rows * kept + 3 * min(n, SLAB))  # a slab, its copy, and the one before
    else:
        own = 0
    return own + grams * 8 * rows * BLOCK_ROWS


def blocks_of_rows(X: Matrix, intercept: bool) -> Iterator[Block]:
    """The rows in the order given."""
    n, is_sparse, stays = X.shape[0], sparse.issparse(X), stays_sparse(X)
    if stays and intercept:
        X = sparse.hstack([X, np.ones((n, 1))], format="csr")
    for start in range(0, n, SLAB):
        slab = X[start : start + SLAB]
        if not stays:
            slab = slab.toarray() if is_sparse else np.ascontiguousarray(slab)
            slab = np.hstack([slab, np.ones((len(slab), 1))]) if intercept else slab
        for first in range(0, slab.shape[0], BLOCK_ROWS):
            rows = slab[first : first + BLOCK_ROWS]
            yield (SparseBlock if stays else Block)(rows, start + first)
