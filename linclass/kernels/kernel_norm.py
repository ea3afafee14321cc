"""The penalty of kernel machines, ½‖f‖² in the space of the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.penalties.base import Penalty


@dataclass(frozen=True, eq=False)
class KernelNorm(Penalty):
    """½‖f‖² = ½ βᵀKβ: the L2 penalty of weights in the feature space of the kernel."""

    K: Array

    @property
    def curvature(self) -> float:
        return 1.0

    @property
    def strongly_convex(self) -> bool:
        return True

    @property
    def uniform(self) -> bool:
        return True

    def value(self, W: Array) -> float:
        return 0.5 * float(np.vdot(W, W @ self.K))

    def value_at(self, point: Any) -> float:
        """The scores contain K β."""
        n, theta = point.objective.design.n_features, point.theta
        fitted = point.scores - theta[..., n:] if theta.shape[-1] > n else point.scores
        return 0.5 * float(np.vdot(theta[..., :n], fitted))

    def conjugate(self, U: Array) -> float:
        return self.value(U)
