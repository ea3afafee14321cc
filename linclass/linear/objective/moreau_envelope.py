"""The Moreau envelope of a loss with a kink, around slopes c:

    ψ(y, z) = max_s  s z − ℓ*(s) − (s − c)²/(2·reach),     ψ*(s) = ℓ*(s) + (s − c)²/(2·reach).

It is smooth. Its slope is the prox of ℓ* at c + reach·z, and its curvature is reach, or 0 where that prox is constant;
of K scores it is a matrix of each row, which the loss applies (`curve`). At the slopes of a minimum it has the same
minimum as the loss, whatever the reach. The slope c of a row belongs to its target: both are fields of one structured
array y.   Rockafellar (1976), Math. Oper. Res. 1
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.losses.base import Loss, of_rows


class Envelope(Loss):
    """Of a `loss` with `nearest_slopes`; y has the fields `target` and `centre`."""

    piecewise_quadratic = True
    vanishes = False

    def __init__(self, loss: Loss, reach: float):
        self.loss, self.reach = loss, reach
        self.n_scores, self.n_classes = loss.n_scores, loss.n_classes
        self.shift_invariant = loss.shift_invariant
        vars(self)["smoothness"] = reach

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
