"""A random order of rows that depends on what the rows contain, not on the order in which they are given.

The rows are sorted by a random hash of their features and class, so equal rows are neighbours. A classifier that
learns from one row after another then gives the same result for a row of weight two and for the row twice,
wherever the two stand, and for dense and sparse rows.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.annotations import Matrix, Seed
from linclass.numerics import BLOCK, Array


def random_order(X: Matrix, codes: Array, seed: Seed) -> Array:
    """Indices of the rows in an order drawn by `seed`."""
    rng = np.random.default_rng(seed)
    keys = hashes(X, rng) + hashes(codes[:, None] + 1.0, rng)
    return np.argsort(keys, kind="stable")


def next_order(keys: Array, rng: np.random.Generator) -> Array:
    """Indices of the rows in another order, from their hashes; rows of one hash are neighbours."""
    salt = rng.integers(1 << 63, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return np.argsort(_spread(keys * salt), kind="stable")


def hashes(X: Matrix, rng: np.random.Generator) -> Array:
    """A random hash of each row."""
    factors = rng.integers(1 << 63, size=X.shape[1], dtype=np.uint64) * 2 + 1
    keys = np.zeros(X.shape[0], dtype=np.uint64)
    if sparse.issparse(X):
        products = np.append(_mixed(X.data) * factors[X.indices], np.uint64(0))
        sums = np.add.reduceat(products, X.indptr[:-1])
        return np.where(np.diff(X.indptr) > 0, sums, keys)
    for start in range(0, len(X), BLOCK):
        rows = slice(start, start + BLOCK)
        keys[rows] = (_mixed(X[rows]) * factors).sum(axis=1, dtype=np.uint64)
    return keys


def _mixed(values: Array) -> Array:
    """The bits of numbers, the high ones mixed into the low ones; 0 for 0, so that zeros need not be stored."""
    return _spread((np.asarray(values, dtype=float) + 0.0).view(np.uint64))  # −0 becomes 0


def _spread(bits: Array) -> Array:
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return bits ^ (bits >> np.uint64(29))
