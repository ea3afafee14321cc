"""Second moments about the mean, from one pass over the rows, with Σw = 1:

    x̄ = Σ w x,   G = Σ w (x − x̄)(x − x̄)ᵀ,   c = Σ w (x − x̄) y_c.

XᵀX − x̄x̄ᵀ costs half as much if all rows have equal weight, because X is neither shifted nor scaled. But it
loses the digits that x̄x̄ᵀ and XᵀX have in common.   Chan, Golub & LeVeque (1983), Am. Statistician 37
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import BLOCK, Array
from linclass.base.design_matrix import DesignMatrix

LEFT = 1e-3  # share of variance in Σ w x², above which at most three digits cancel

Moments = tuple[Array, Array, Array]


def second_moments(design: DesignMatrix, weights: Array, Y: Array) -> Moments:
    """(x̄, G, c) for K rows of centred targets; without an intercept x̄ is 0."""
    if not design.is_sparse and weights.min() == weights.max():
        mean, G, c = moments_at_once(design, weights, Y)
        if (G.diagonal() >= LEFT * mean**2).all():
            return mean, G, c
    return moments_by_blocks(design, weights, Y)


def moments_at_once(design: DesignMatrix, weights: Array, Y: Array) -> Moments:
    """G = XᵀX − x̄x̄ᵀ."""
    X = design.X
    sums = np.vstack([weights, weights * Y]) @ X
    mean = sums[0] if design.intercept else np.zeros(design.n_features)
    G = X.T @ X  # the same matrix on both sides: half the work (syrk)
    G *= weights[0]
    G -= np.outer(mean, mean)
    design.passes += 1
    return mean, G, sums[1:] - np.outer(Y @ weights, mean)


def moments_by_blocks(design: DesignMatrix, weights: Array, Y: Array) -> Moments:
    """From the products of the columns of [X − s, y_c, 1].

    With a shift s near x̄ the correction  G = Σ w (x − s)(x − s)ᵀ − (x̄ − s)(x̄ − s)ᵀ  is small.
    """
    K, d, root = len(Y), design.n_features, np.sqrt(weights)
    shift, H = np.zeros(d), np.zeros((d + K + 1, d + K + 1))
    buffer = np.empty((min(BLOCK, design.n_rows), len(H)))
    for start in range(0, design.n_rows, BLOCK):
        rows = slice(start, min(start + BLOCK, design.n_rows))
        X, B = design.X[rows], buffer[: rows.stop - start]
        X = X.toarray() if design.is_sparse else X
        if design.intercept and not start:
            w = weights[rows]
            shift = w @ X / w.sum()
        np.subtract(X, shift, out=B[:, :d])
        B[:, d:-1], B[:, -1] = Y[:, rows].T, 1
        B *= root[rows, None]
        H += B.T @ B
    design.passes += 1
    off = H[:d, -1] if design.intercept else np.zeros(d)
    G = H[:d, :d] - np.outer(off, off)
    return shift + off, G, H[d:-1, :d] - np.outer(H[d:-1, -1], off)
