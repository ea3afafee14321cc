"""L2, ridge or Tikhonov penalty  ½‖W‖².   Hoerl & Kennard (1970), Technometrics 12"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linclass.base.numerics.arrays import Array
from linclass.linear.penalties._entrywise import Entrywise


@dataclass(frozen=True)
class L2(Entrywise):
    """Σ_j f_j ½w_j².

    Parameters
    ----------
    factors : array of shape (d,), dict or None, default=None
        Factor f_j ≥ 0 of each feature in the penalty; 0 does not penalize it. None is 1 for all. A dict has factors
        by name, 1 for features that it does not name; that of `city` holds for the columns `city=…` of one_hot.
    intercept : float or None, default=None
        Factor of the intercept in the penalty, above 0. None does not penalize it.
    """

    l2: ClassVar[float] = 1.0

    def gradient(self, W: Array) -> Array:
        return W if self.factors is None else super().gradient(W)
