"""Losses made from other losses: with offsets of the scores, and smoothed.

A row's offset or centre belongs to its target: both are fields of one structured array y, so y[rows] selects both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.losses.base import Loss, ResidualLoss, of_rows


class WithOffset(Loss):
    """A likelihood of scores that have an offset:  ℓ_o(y, z) = ℓ(y, z + o),  ℓ_o*(s) = ℓ*(s) − s·o.

    y is a structured array with the fields `target` and `offset`, so y[rows] selects both, and solvers need no case for
    offsets. For a residual z + o − y the offset is simply subtracted from y.   McCullagh & Nelder (1989), §2.2
    """

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


def with_offset(loss: Any, y: Array, offset: Array) -> tuple[Loss, Array]:
    """(the loss, its y) for offsets (n,) of one score or (n, K) of K classes."""
    if isinstance(loss, ResidualLoss):
        return loss, y - offset.T
    if getattr(loss, "reference", False):  # the last class has score 0
        offset = offset[:, :-1] - offset[:, -1:]
    both = np.empty(len(y), dtype=[("target", y.dtype), ("offset", float, offset.shape[1:])])
    both["target"], both["offset"] = y, offset
    return WithOffset(loss), both


class Envelope(Loss):
    """The Moreau envelope of a loss with a kink, around slopes c:

        ψ(y, z) = max_s  s z − ℓ*(s) − (s − c)²/(2·reach),     ψ*(s) = ℓ*(s) + (s − c)²/(2·reach).

    It is smooth. Its slope is the prox of ℓ* at c + reach·z (`nearest_slopes`), and its curvature is reach, or 0 where
    that prox is constant; of K scores it is a matrix of each row, which the loss applies (`curve`). At the slopes of a
    minimum it has the same minimum as the loss, whatever the reach. y is a structured array with the fields `target`
    and `centre`.   Rockafellar (1976), Math. Oper. Res. 1
    """

    piecewise_quadratic = True
    vanishes = False

    def __init__(self, loss: Loss, reach: float):
        self.loss, self.reach = loss, reach
        self.n_scores, self.n_classes = loss.n_scores, loss.n_classes
        self.shift_invariant = loss.shift_invariant
        self.smoothness = reach

    def derivatives(self, target: Array, centre: Array, z: Array) -> tuple[Array, Array]:
        """(slopes, curvatures) at scores z, for the two fields of y."""
        v = self.reach * z
        v += centre
        s, moves = self.loss.nearest_slopes(target, v, self.reach)
        return s, self.reach * moves

    def values_of_slopes(self, target: Array, centre: Array, z: Array, s: Array) -> Array:
        """ψ at scores z whose slopes are known."""
        moved = s - centre
        reached = of_rows(s * z - moved * moved / (2 * self.reach))
        return np.asarray(reached - self.loss.conjugates(target, s))

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array]:
        rows = y["target"], y["centre"].T, z
        s, curvatures = self.derivatives(*rows)
        return self.values_of_slopes(*rows, s), s, curvatures

    def values(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[0]

    def slopes(self, y: Array, z: Array) -> Array:
        return self.derivatives(y["target"], y["centre"].T, z)[0]

    def curvatures(self, y: Array, z: Array) -> Array:
        return self.derivatives(y["target"], y["centre"].T, z)[1]

    def curve(self, curvatures: Array, v: Array) -> Array:
        return self.loss.curve(curvatures, v)

    def second(self, curvatures: Array, k: int, l: int) -> Array:
        return self.loss.second(curvatures, k, l)

    def hessian(self, B: Array, weights: Array, curvatures: Array) -> Array:
        return self.loss.hessian(B, weights, curvatures)

    def conjugates(self, y: Array, s: Array) -> Array:
        moved = s - y["centre"].T
        far = of_rows(moved * moved) / (2 * self.reach)
        return np.asarray(self.loss.conjugates(y["target"], s) + far)

    def margins(self, y: Array, z: Array) -> Array:
        return self.loss.margins(y["target"], z)

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        return self.loss.balance(y["target"], s, weights)


def envelope(loss: Any, y: Array, slopes: Array, reach: float) -> tuple[Envelope, Array]:
    """(the envelope of a loss around these slopes, its y)"""
    both = np.empty(len(y), dtype=[("target", y.dtype), ("centre", float, slopes.shape[:-1])])
    both["target"], both["centre"] = y, slopes.T
    return Envelope(loss, reach), both
