"""The soft threshold  sign(w)·max(|w| − t, 0),  the proximal operator of t·‖w‖₁."""

from __future__ import annotations

import numpy as np

from linclass.numerics import Array


def soft_threshold(W: Array, t: Array | float) -> Array:
    """sign(w)·max(|w| − t, 0), entry by entry."""
    return W - np.minimum(np.maximum(W, -t), t)
