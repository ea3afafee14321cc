"""L1 or lasso penalty  ‖W‖₁ = Σ|w|,  whose kink at 0 makes entries exactly 0.

Its conjugate is 0 if all |u| ≤ 1 and +∞ otherwise: a dual point is first scaled into that box.
Tibshirani (1996), J. Royal Statistical Society B 58
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linclass.numerics import Array
from linclass.penalties.base import Penalty
from linclass.soft_threshold import soft_threshold

EDGE = 1 + 1e-12  # on the boundary of the box up to rounding


@dataclass(frozen=True)
class L1(Penalty):
    @property
    def kink(self) -> float:
        return 1.0

    def value(self, W: Array) -> float:
        return float(np.abs(W).sum())

    def prox(self, W: Array, t: float) -> Array:
        return soft_threshold(W, t)

    def conjugate(self, U: Array) -> float:
        return 0.0 if np.abs(U).max(initial=0) <= EDGE else np.inf

    def into_domain(self, U: Array) -> float:
        return 1 / max(1.0, float(np.abs(U).max(initial=0)))
