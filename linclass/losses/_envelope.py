"""The Moreau envelope of a loss with a kink, around slopes c:

    ψ(y, z) = max_s  s z − ℓ*(s) − (s − c)²/(2·reach),     ψ*(s) = ℓ*(s) + (s − c)²/(2·reach).

It is smooth. Its slope is the prox of ℓ* at c + reach·z, and its curvature is reach, or 0 where that prox is constant.
At the slopes of a minimum it has the same minimum as the loss, whatever the reach. The slope c of a row belongs to
its target: both are fields of one structured array y.   Rockafellar (1976), Math. Oper. Res. 1
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.losses.base import Loss
from linclass.numerics import Array


class Envelope(Loss):
    """Of a piecewise linear `loss`; y has the fields `target` and `centre`."""

    piecewise_quadratic = True
    vanishes = False

    def __init__(self, loss: Loss, reach: float):
        self.loss, self.reach = loss, reach
        vars(self)["smoothness"] = reach

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array | None]:
        s, moves = self.loss.nearest_slopes(y["target"], y["centre"] + self.reach * z, self.reach)
        return s * z - self.conjugates(y, s), s, self.reach * moves

    def values(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[0]

    def slopes(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[1]

    def curvatures(self, y: Array, z: Array) -> Array:
        return (
            self.reach
            * self.loss.nearest_slopes(y["target"], y["centre"] + self.reach * z, self.reach)[1]
        )

    def conjugates(self, y: Array, s: Array) -> Array:
        moved = s - y["centre"]
        return np.asarray(self.loss.conjugates(y["target"], s) + moved * moved / (2 * self.reach))

    def margins(self, y: Array, z: Array) -> Array:
        return self.loss.margins(y["target"], z)

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        return self.loss.balance(y["target"], s, weights)


def envelope(loss: Any, y: Array, slopes: Array, reach: float) -> tuple[Envelope, Array]:
    """(the envelope of a loss around these slopes, its y)"""
    both = np.empty(len(y), dtype=[("target", y.dtype), ("centre", float)])
    both["target"], both["centre"] = y, slopes
    return Envelope(loss, reach), both
