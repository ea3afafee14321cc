"""Elastic net  ρ‖W‖₁ + (1 − ρ)·½‖W‖²  with ρ = l1_ratio: from ridge (0) to lasso (1).

The quadratic part makes the optimum unique and gives correlated features similar weights (the grouping effect),
where the lasso may select any one of them.   Zou & Hastie (2005), J. Royal Statistical Society B 67
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from linclass.numerics import Array
from linclass.penalties.base import Penalty
from linclass.penalties.l1 import L1
from linclass.soft_threshold import soft_threshold


@dataclass(frozen=True)
class ElasticNet(Penalty):
    """ρ‖W‖₁ + (1 − ρ)·½‖W‖².

    Parameters
    ----------
    l1_ratio : float, default=0.5
        ρ, from 0 (ridge) to 1 (lasso).
    """

    l1_ratio: float = 0.5

    @property
    def kink(self) -> float:
        return self.l1_ratio

    @property
    def curvature(self) -> float:
        return 1 - self.l1_ratio

    def value(self, W: Array) -> float:
        return self.kink * float(np.abs(W).sum()) + self.curvature * 0.5 * float(np.vdot(W, W))

    def prox(self, W: Array, t: float) -> Array:
        return soft_threshold(W, t * self.kink) / (1 + t * self.curvature)

    def conjugate(self, U: Array) -> float:
        """Σ max(|u| − ρ, 0)²/(2(1 − ρ)), the lasso's where ρ = 1."""
        if not self.curvature:
            return L1().conjugate(U)
        beyond = np.maximum(np.abs(U) - self.kink, 0)
        return float(np.vdot(beyond, beyond)) / (2 * self.curvature)

    def into_domain(self, U: Array) -> float:
        return 1.0 if self.curvature else L1().into_domain(U)

    def check(self) -> None:
        if not (isinstance(self.l1_ratio, Real) and 0 <= self.l1_ratio <= 1):
            raise ValueError(f"l1_ratio is {self.l1_ratio!r}; it must be a number from 0 to 1.")
