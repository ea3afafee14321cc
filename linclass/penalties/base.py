"""The interface of penalties. W is (K, d) or (d,), without the intercept.

A penalty is a sum over entries of a smooth part and of  kink·|w|.  Gradient methods handle a kink through `prox`,
working-set methods through `kink`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from linclass.numerics import Array


@dataclass(frozen=True)
class Penalty:
    binds: ClassVar[bool] = True  # False: no penalty, whatever the strength

    @property
    def kink(self) -> float:
        """Half the jump of the derivative at 0: |g| must exceed it to move an entry from 0."""
        return 0.0

    @property
    def curvature(self) -> float:
        """Curvature of the smooth part, the same in every direction."""
        return 0.0

    def value(self, W: Array) -> float:
        raise NotImplementedError

    def value_at(self, point: Any) -> float:
        """The value at a point of an objective, whose scores may help."""
        return self.value(point.objective.weight_part(point.theta))

    def gradient(self, W: Array) -> Array:
        """Gradient of the smooth part."""
        return self.curvature * W

    def prox(self, W: Array, t: float) -> Array:
        """argmin_V  t·penalty(V) + ½‖V − W‖²."""
        raise NotImplementedError

    def conjugate(self, U: Array) -> float:
        """penalty*(U) = sup_W ⟨U, W⟩ − penalty(W)."""
        raise NotImplementedError

    def into_domain(self, U: Array) -> float:
        """The largest factor c ≤ 1 with penalty*(c·U) < ∞."""
        return 1.0

    def check(self) -> None:
        """Raise ValueError, with one sentence, if the options are invalid."""
