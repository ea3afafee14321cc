"""A random order of rows that depends on what the rows contain, not on the order in which they are given.

The rows are sorted by a random hash of their features and class, so equal rows are neighbours. A classifier that
learns from one row after another then gives the same result for a row of weight two and for the row twice,
wherever the two stand, and for dense and sparse rows.
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array, Matrix, Seed, hashes, scrambled


def random_order(X: Matrix, codes: Array, seed: Seed) -> Array:
    """Indices of the rows in an order drawn by `seed`."""
    rng = np.random.default_rng(seed)
    keys = hashes(X, rng) + hashes(codes[:, None] + 1.0, rng)
    return np.argsort(keys, kind="stable")


def next_order(keys: Array, rng: np.random.Generator) -> Array:
    """Indices of the rows in another order, from their hashes; rows of one hash are neighbours."""
    salt = rng.integers(1 << 63, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return np.argsort(scrambled(keys * salt), kind="stable")
