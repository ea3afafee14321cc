"""The nearest point of the simplex  {p ≥ 0, Σ p = 1},  the Euclidean projection on it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linclass.base.arrays import Array

FEW = 8  # entries of a column, up to which exchanges of whole rows sort all columns faster


def onto_simplex(v: Array) -> tuple[Array, Array]:
    """The nearest p ≥ 0 with Σ p = 1 to each column, max(v − t, 0), and where it varies with v, as several p_k > 0.

    t is the largest of (v_1 + … + v_k − 1)/k over the k largest v of a column: v_k itself is above it if and only if
    p_k > 0.   Held, Wolfe & Crowder (1974), Mathematical Programming 6
    """
    v = v - np.maximum.reduce(v)  # p is the same, with less cancellation
    if len(v) > FEW:
        near = v > -1  # else p_k is 0
        several = np.flatnonzero(np.count_nonzero(near, axis=0) > 1)
        if 2 * len(several) < v.shape[1]:
            p = near.astype(float)
            near[:] = False
            p[:, several], near[:, several] = onto_simplex(v[:, several])
            return p, near
    sums, t = np.zeros(v.shape[1]), np.full(v.shape[1], -np.inf)
    for k, largest in enumerate(descending(v), start=1):
        sums += largest
        np.maximum(t, (sums - 1) / k, out=t)
    p = v - t
    np.maximum(p, 0, out=p)
    moves = p > 0
    moves &= np.add.reduce(moves, axis=0) > 1
    return p, moves


def descending(v: Array) -> Iterable[Array]:
    """The columns, sorted; of few rows by exchanges of whole rows, which cost less than a sort of each column."""
    if len(v) > FEW:
        return np.sort(v, axis=0)[::-1]
    rows = list(v)
    for last in range(len(v) - 1, 0, -1):
        for k in range(last):
            upper, lower = rows[k], rows[k + 1]
            rows[k], rows[k + 1] = np.maximum(upper, lower), np.minimum(upper, lower)
    return rows
