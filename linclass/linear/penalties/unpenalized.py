"""No penalty: maximum likelihood, ordinary least squares.

Its conjugate is 0 at 0 and +∞ elsewhere. No dual point is exactly feasible, so the certificate is the gradient
and not a gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.linear.penalties.base import Level, Penalty


@dataclass(frozen=True)
class Unpenalized(Penalty):
    binds: ClassVar[bool] = False
    prox_by_feature: ClassVar[bool] = True
    entrywise: ClassVar[bool] = True

    @property
    def uniform(self) -> bool:
        return True

    def value(self, W: Array) -> float:
        return 0.0

    def prox(self, W: Array, t: Level) -> Array:
        return W

    def conjugate(self, U: Array) -> float:
        return 0.0 if not np.any(U) else np.inf

    def into_domain(self, U: Array) -> float:
        return 1.0 if not np.any(U) else 0.0

    def on(self, features: Array) -> Self:
        return self
