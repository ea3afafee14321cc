"""Gradient steps with preallocated memory, for fits with very many small steps: three calls of NumPy each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linclass.base.arrays import Array
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.base import MarginLoss
from linclass.linear.objective.distinct_rows import merge_rows

Advance = Callable[[Array, int], None]


def affine_steps(
    loss: MarginLoss, design: DesignMatrix, y: Array, weights: Array, eta: float
) -> Advance:
    """(theta, steps) ↦ theta after that many steps of −η∇P, in place.

    With ℓ′(m) = a f(bm) and u_i = y_i [x_i 1], one step is  θ ← [−ηa w_i u_i | I] (f(b u_i·θ), θ):
    a product, f, a product. Equal rows u_i are merged. Two buffers (f, θ) alternate, so that no product reads
    what it writes; array methods are called because they cost less than np.dot.
    """
    assert loss.slope_as_ufunc is not None
    f, inner, outer = loss.slope_as_ufunc
    U, w = merge_rows(design.dense() * y[:, None], weights)
    rows, p = U.shape
    inward = np.ascontiguousarray(inner * U).dot
    outward = np.hstack([-eta * outer * (w[:, None] * U).T, np.eye(p)]).dot
    here, there = np.empty(rows + p), np.empty(rows + p)
    slopes, theta = here[:rows], here[rows:]
    next_slopes, next_theta = there[:rows], there[rows:]

    def advance(start: Array, steps: int) -> None:
        theta[:] = start
        for _ in range(steps // 2):
            inward(theta, slopes)
            f(slopes, slopes)
            outward(here, next_theta)
            inward(next_theta, next_slopes)
            f(next_slopes, next_slopes)
            outward(there, theta)
        if steps % 2:
            inward(theta, slopes)
            f(slopes, slopes)
            outward(here, next_theta)
        start[:] = next_theta if steps % 2 else theta

    return advance
