"""The lead of the true class over its rivals,  z_y − max_{k≠y} z_k,  for scores z (K, n) and codes y (n,)."""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array


def rivals(y: Array, z: Array) -> Array:
    """The scores with −∞ for the true class."""
    others = z.copy()
    others[y, np.arange(len(y))] = -np.inf
    return others


def lead(y: Array, z: Array) -> Array:
    return z[y, np.arange(len(y))] - rivals(y, z).max(axis=0)
