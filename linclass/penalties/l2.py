"""L2, ridge or Tikhonov penalty  ½‖W‖².   Hoerl & Kennard (1970), Technometrics 12"""

from __future__ import annotations

import numpy as np

from linclass.numerics import Array
from linclass.penalties.base import Penalty


class L2(Penalty):
    curvature = 1.0

    def value(self, W: Array) -> float:
        return 0.5 * float(np.vdot(W, W))

    def gradient(self, W: Array) -> Array:
        return W

    def prox(self, W: Array, t: float) -> Array:
        return W / (1 + t)

    def conjugate(self, U: Array) -> float:
        return 0.5 * float(np.vdot(U, U))
