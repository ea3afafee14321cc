"""L1 or lasso penalty  ‖W‖₁ = Σ|w|,  whose kink at 0 makes entries exactly 0.

Its conjugate is 0 if all |u| ≤ 1 and +∞ otherwise: a dual point is first scaled into that box.
Tibshirani (1996), J. Royal Statistical Society B 58
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linclass.linear.penalties._entrywise import Entrywise


@dataclass(frozen=True)
class L1(Entrywise):
    """Σ_j f_j |w_j|.

    Parameters
    ----------
    factors : array of shape (d,), dict or None, default=None
        Factor f_j ≥ 0 of each feature in the penalty; 0 does not penalize it. None is 1 for all. A dict has factors
        by name, 1 for features that it does not name; that of `city` holds for the columns `city=…` of one_hot.
    intercept : float or None, default=None
        Factor of the intercept in the penalty, above 0. None does not penalize it.
    """

    l1: ClassVar[float] = 1.0
