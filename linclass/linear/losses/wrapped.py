"""Losses made from other losses: with offsets of the scores, and smoothed.

A row's offset or center belongs to its target: both are fields of one structured array y, so y[rows] selects both, and
solvers need no case for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.losses.base import Loss, LossByJet, ResidualLoss, of_rows


class WrappedLoss(LossByJet):
    """A loss whose Hessians, margins and balanced slopes are those of the wrapped loss."""

    def __init__(self, loss: Any):
        self.loss = loss

    def curve(self, curvatures: Array, v: Array) -> Array:
        return np.asarray(self.loss.curve(curvatures, v))

    def hessian(self, B: Array, weights: Array, curvatures: Array) -> Array:
        return np.asarray(self.loss.hessian(B, weights, curvatures))

    def margins(self, y: Array, z: Array) -> Array:
        return np.asarray(self.loss.margins(y["target"], z))

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        return np.asarray(self.loss.balance(y["target"], s, weights))


class WithOffset(WrappedLoss):
    """A likelihood of scores that have an offset:  ℓ_o(y, z) = ℓ(y, z + o),  ℓ_o*(s) = ℓ*(s) − s·o.

    y has the fields `target` and `offset`. Margins are those of z itself: rows that it classifies correctly are
    separated, whatever their offsets. For a residual z + o − y the offset is simply subtracted from y.
    McCullagh & Nelder (1989), §2.2
    """

    def __init__(self, loss: Any):
        super().__init__(loss)
        for name in Loss.__annotations__:  # its kind and constants, such as `smoothness`
            setattr(self, name, getattr(loss, name))

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array | None]:
        values, slopes, curvatures = self.loss.jet(y["target"], z + y["offset"].T)
        return values, slopes, curvatures

    def conjugates(self, y: Array, s: Array) -> Array:
        return np.asarray(self.loss.conjugates(y["target"], s) - of_rows(s * y["offset"].T))


def with_offset(loss: Any, y: Array, offset: Array) -> tuple[Loss, Array]:
    """(the loss, its y) for offsets (n,) of one score or (n, K) of K classes."""
    if isinstance(loss, ResidualLoss):
        return loss, y - offset.T
    if getattr(loss, "reference", False):  # the last class has score 0
        offset = offset[:, :-1] - offset[:, -1:]
    return WithOffset(loss), _two_fields(y, "offset", offset)


class Envelope(WrappedLoss):
    """The Moreau envelope of a nonsmooth loss, around slopes c:

        ψ(y, z) = max_s  s z − ℓ*(s) − (s − c)²/(2·reach),     ψ*(s) = ℓ*(s) + (s − c)²/(2·reach).

    It is smooth. Its slope is the prox of ℓ* at c + reach·z (`nearest_slopes`), and its curvature is reach, or 0 where
    that prox is constant; of K scores it is a matrix of each row, which the loss applies (`curve`). At the slopes of a
    minimum it has the same minimum as the loss, for every reach. y has the fields `target` and `center`.
    Rockafellar (1976), Math. Oper. Res. 1
    """

    piecewise_quadratic = True
    vanishes = False

    def __init__(self, loss: Loss, reach: float):
        super().__init__(loss)
        self.reach = self.smoothness = reach
        self.n_scores, self.n_classes = loss.n_scores, loss.n_classes
        self.shift_invariant = loss.shift_invariant

    def derivatives(self, target: Array, center: Array, z: Array) -> tuple[Array, Array]:
        """(slopes, curvatures) at scores z, for the two fields of y."""
        v = self.reach * z
        v += center
        s, moves = self.loss.nearest_slopes(target, v, self.reach)
        return s, self.reach * moves

    def values_of_slopes(self, target: Array, center: Array, z: Array, s: Array) -> Array:
        """ψ at scores z with slopes s."""
        moved = s - center
        reached = of_rows(s * z - moved * moved / (2 * self.reach))
        return np.asarray(reached - self.loss.conjugates(target, s))

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array]:
        rows = y["target"], y["center"].T, z
        s, curvatures = self.derivatives(*rows)
        return self.values_of_slopes(*rows, s), s, curvatures

    def conjugates(self, y: Array, s: Array) -> Array:
        moved = s - y["center"].T
        far = of_rows(moved * moved) / (2 * self.reach)
        return np.asarray(self.loss.conjugates(y["target"], s) + far)


def envelope(loss: Any, y: Array, slopes: Array, reach: float) -> tuple[Envelope, Array]:
    """(the envelope of a loss around these slopes, its y)"""
    return Envelope(loss, reach), _two_fields(y, "center", slopes.T)


def _two_fields(y: Array, name: str, values: Array) -> Array:
    """The structured array of targets and other values of each row."""
    both = np.empty(len(y), dtype=[("target", y.dtype), (name, float, values.shape[1:])])
    both["target"], both[name] = y, values
    return both
