"""A loss of scores that have an offset:  ℓ_o(y, z) = ℓ(y, z + o),  ℓ_o*(s) = ℓ*(s) − s·o.

The offset of a row belongs to its target: both are fields of one structured array y, so y[rows] selects both. A loss
with an offset is thus a loss like any other, and solvers need no case for it. Of a residual z + o − y the offset is a
part of y itself.   McCullagh & Nelder (1989), §2.2
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.linear.losses.base import Loss, ResidualLoss


class WithOffset(Loss):
    """y has the fields `target` and `offset`."""

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

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        slopes, moves = self.loss.nearest_slopes(y["target"], v + reach * y["offset"].T, reach)
        return slopes, moves

    def may_move(
        self, y: Array, slopes: Array, scores: Array, reach: float | Array, by: float
    ) -> Array:
        scores = scores + y["offset"].T
        return np.asarray(self.loss.may_move(y["target"], slopes, scores, reach, by))

    def pieces(self, y: Array) -> tuple[Array, Array]:
        slopes, constants = self.loss.pieces(y["target"])
        return slopes, constants + slopes * y["offset"]

    def on_pairs(self, y: Array, rows: Array, classes: Array) -> tuple[Loss, Array]:
        loss, target = self.loss.on_pairs(y["target"], rows, classes)
        return with_offset(loss, target, y["offset"][rows, classes])

    def middle(self, y: Array) -> Array:
        return np.asarray(self.loss.middle(y["target"]))

    def scale(self, y: Array) -> float:
        return float(self.loss.scale(y["target"]))

    def parted(self, y: Array) -> tuple[Array, Array]:
        return y["target"], y["offset"].T

    def margins(self, y: Array, z: Array) -> Array:
        """Of z itself: rows that it has right are separated, whatever their offsets. Mistakes are those with them."""
        known = y["offset"].T if self.mistake_driven else 0.0
        return np.asarray(self.loss.margins(y["target"], z + known))

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        return np.asarray(self.loss.balance(y["target"], s, weights))


def with_offset(loss: Any, y: Array, offset: Array) -> tuple[Loss, Array]:
    """(the loss, its y) for offsets (n,) of one score or (n, K) of K classes."""
    if isinstance(loss, ResidualLoss):
        return loss, y - offset.T
    if getattr(loss, "reference", False):  # the last class has score 0
        offset = offset[:, :-1] - offset[:, -1:]
    both = np.empty(len(y), dtype=[("target", y.dtype), ("offset", float, offset.shape[1:])])
    both["target"], both["offset"] = y, offset
    return WithOffset(loss), both
