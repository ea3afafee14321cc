"""What every penalty offers. W is (K, d) or (d,), and never holds the intercept."""

from __future__ import annotations

from typing import ClassVar

from linclass.numerics import Array


class Penalty:
    binds: ClassVar[bool] = True  # False: the objective is the loss alone, whatever the strength
    smooth: ClassVar[bool] = True
    curvature: float = 0.0  # of the smooth part, the same in every direction

    def value(self, W: Array) -> float:
        raise NotImplementedError

    def gradient(self, W: Array) -> Array:
        """Of the smooth part; what has a kink enters through `prox`."""
        raise NotImplementedError

    def prox(self, W: Array, t: float) -> Array:
        """argmin_V  t·penalty(V) + ½‖V − W‖²."""
        raise NotImplementedError

    def conjugate(self, U: Array) -> float:
        """penalty*(U) = sup_W ⟨U, W⟩ − penalty(W)."""
        raise NotImplementedError

    def into_domain(self, U: Array) -> float:
        """The largest factor c ≤ 1 with penalty*(c·U) < ∞."""
        return 1.0
