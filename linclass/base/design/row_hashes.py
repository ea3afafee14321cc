"""A random hash of each row, by its contents: the same for equal rows, dense or sparse."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.base.annotations import Matrix
from linclass.base.numerics.arrays import BLOCK, Array


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
    return scrambled((np.asarray(values, dtype=float) + 0.0).view(np.uint64))  # −0 becomes 0


def scrambled(bits: Array) -> Array:
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return bits ^ (bits >> np.uint64(29))
