"""L2, ridge or Tikhonov penalty  ½‖W‖².   Hoerl & Kennard (1970), Technometrics 12"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linclass.numerics import Array
from linclass.penalties.base import Penalty


@dataclass(frozen=True)
class L2(Penalty):
    @property
    def curvature(self) -> float:
        return 1.0

    def value(self, W: Array) -> float:
        return 0.5 * float(np.vdot(W, W))

    def gradient(self, W: Array) -> Array:
        return W

    def prox(self, W: Array, t: float) -> Array:
        return W / (1 + t)

    def conjugate(self, U: Array) -> float:
        return 0.5 * float(np.vdot(U, U))
