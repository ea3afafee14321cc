"""The soft threshold  sign(w)·max(|w| − t, 0),  the proximal operator of t·‖w‖₁."""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array


def soft_threshold(W: Array, t: Array | float, out: Array | None = None) -> Array:
    """sign(w)·max(|w| − t, 0), entry by entry; into an array, if one is given."""
    near = np.clip(W, -t, t, out=out)
    return np.subtract(W, near, out=near)
