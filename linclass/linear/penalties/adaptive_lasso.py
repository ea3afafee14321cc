"""Adaptive lasso  Σ |w_kj|/|ŵ_kj|^γ,  in two steps: an initial estimate ŵ, then L1 with these factors.

Weights that look large are penalized little, so that with more rows the support becomes the true one and the others are
unbiased, which the lasso cannot have at once. ŵ is the fit of the same loss with L2 at `initial_strength`, which also
exists where classes can be separated or features depend on each other; at 0 it is maximum likelihood or least squares,
as in the paper. The factors are not rescaled.   Zou (2006), J. American Statistical Association 101
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.base.parameter_types import require_nonnegative
from linclass.linear.penalties._entrywise import Entrywise
from linclass.linear.penalties.base import Penalty
from linclass.linear.penalties.l1 import L1
from linclass.linear.penalties.l2 import L2
from linclass.linear.penalties.unpenalized import Unpenalized

LEAST = 1e-8  # of the largest |ŵ|: smaller ones count as this


@dataclass(frozen=True)
class AdaptiveLasso(Entrywise):
    """Σ f_j |w_kj|/|ŵ_kj|^γ.

    Parameters
    ----------
    gamma : float, default=1.0
        γ, above 0: how much less the weights are penalized that the initial estimate has large.
    initial_strength : float, default=1e-3
        Strength of L2 in the initial estimate, at least 0.
    factors : array of shape (d,), dict or None, default=None
        Factor f_j ≥ 0 of each feature in the penalty; 0 does not penalize it. None is 1 for all. A dict has factors
        by name, 1 for features that it does not name; that of `city` holds for the columns `city=…` of one_hot.
    intercept : float or None, default=None
        Factor of the intercept in the penalty, above 0. None does not penalize it.
    """

    gamma: float = 1.0
    initial_strength: float = 1e-3

    l1: ClassVar[float] = 1.0

    @property
    def uniform(self) -> bool:
        return False

    @property
    def initial(self) -> tuple[Penalty, float]:  # type: ignore[override]
        return (L2() if self.initial_strength else Unpenalized()), self.initial_strength

    def after(self, W: Array) -> Penalty:
        size = np.abs(W)
        size = np.maximum(size, LEAST * float(size.max(initial=0)) or 1.0)
        return L1(factors=self._factors / size**self.gamma)

    def check(self) -> None:
        super().check()
        if not (isinstance(self.gamma, Real) and 0 < self.gamma < np.inf):
            raise ValueError(f"gamma is {self.gamma!r}; it must be a number above 0.")
        require_nonnegative("initial_strength", self.initial_strength)
