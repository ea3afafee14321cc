"""Slopes whose weighted sum is 0, as a dual point needs if the intercept has no penalty."""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array


def balance_signs(s: Array, weights: Array) -> Array:
    """s with the sign of the larger sum shrunk, so that Σ weights·s = 0 and no slope grows."""
    push = weights * s
    up, down = push[s > 0].sum(), -push[s < 0].sum()
    by_sign = min(1.0, down / up if up else 1), min(1.0, up / down if down else 1)
    return s * np.where(s > 0, *by_sign)
