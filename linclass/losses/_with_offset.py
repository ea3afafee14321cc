"""A loss of scores that have an offset:  ℓ_o(y, z) = ℓ(y, z + o),  ℓ_o*(s) = ℓ*(s) − s·o.

The offset of a row belongs to its target: both are fields of one structured array y, so y[rows] selects both. A loss
with an offset is thus a loss like any other, and solvers need no case for it.   McCullagh & Nelder (1989), §2.2
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.losses.base import Loss
from linclass.numerics import Array


class WithOffset(Loss):
    """`loss` is smooth; y has the fields `target` and `offset`."""

    def __init__(self, loss: Any):
        self.loss = loss
        for name in Loss.__annotations__:  # its kind and constants, such as `smoothness`
            setattr(self, name, getattr(loss, name))

    def values(self, y: Array, z: Array) -> Array:
        return np.asarray(self.loss.values(y["target"], z + y["offset"].T))

    def slopes(self, y: Array, z: Array) -> Array:
        return np.asarray(self.loss.slopes(y["target"], z + y["offset"].T))

    def curvatures(self, y: Array, z: Array) -> Array:
        return np.asarray(self.loss.curvatures(y["target"], z + y["offset"].T))

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array | None]:
        values, slopes, curvatures = self.loss.jet(y["target"], z + y["offset"].T)
        return values, slopes, curvatures

    def curve(self, curvatures: Array, v: Array) -> Array:
        return np.asarray(self.loss.curve(curvatures, v))

    def second(self, curvatures: Array, k: int, l: int) -> Array:
        return np.asarray(self.loss.second(curvatures, k, l))

    def hessian(self, B: Array, weights: Array, curvatures: Array) -> Array:
        return np.asarray(self.loss.hessian(B, weights, curvatures))

    def conjugates(self, y: Array, s: Array) -> Array:
        pull = s * y["offset"].T
        return np.asarray(
            self.loss.conjugates(y["target"], s) - (pull if s.ndim == 1 else pull.sum(axis=0))
        )

    def margins(self, y: Array, z: Array) -> Array:
        """Of z itself: rows that it has right are separated, whatever their offsets."""
        return np.asarray(self.loss.margins(y["target"], z))

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        return np.asarray(self.loss.balance(y["target"], s, weights))


def with_offset(loss: Any, y: Array, offset: Array) -> tuple[WithOffset, Array]:
    """(the loss, its y) for offsets (n,) of one score or (n, K) of K classes."""
    if getattr(loss, "reference", False):  # the last class has score 0
        offset = offset[:, :-1] - offset[:, -1:]
    both = np.empty(len(y), dtype=[("target", y.dtype), ("offset", float, offset.shape[1:])])
    both["target"], both["offset"] = y, offset
    return WithOffset(loss), both
