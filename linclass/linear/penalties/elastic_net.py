"""Elastic net  ρ‖W‖₁ + (1 − ρ)·½‖W‖²  with ρ = l1_ratio: from ridge (0) to lasso (1).

The quadratic part makes the optimum unique and gives correlated features similar weights (the grouping effect),
where the lasso may select any one of them.   Zou & Hastie (2005), J. Royal Statistical Society B 67
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

from linclass.linear.penalties._entrywise import Entrywise


@dataclass(frozen=True)
class ElasticNet(Entrywise):
    """Σ_j f_j (ρ|w_j| + (1 − ρ)·½w_j²).

    Parameters
    ----------
    l1_ratio : float, default=0.5
        ρ, from 0 (ridge) to 1 (lasso).
    factors : array of shape (d,), dict or None, default=None
        Factor f_j ≥ 0 of each feature in the penalty; 0 does not penalize it. None is 1 for all. A dict has factors
        by name, 1 for features that it does not name; that of `city` holds for the columns `city=…` of one_hot.
    intercept : float or None, default=None
        Factor of the intercept in the penalty, above 0. None does not penalize it.
    """

    l1_ratio: float = 0.5

    @property
    def l1(self) -> float:  # type: ignore[override]
        return self.l1_ratio

    @property
    def l2(self) -> float:  # type: ignore[override]
        return 1 - self.l1_ratio

    def check(self) -> None:
        if not (isinstance(self.l1_ratio, Real) and 0 <= self.l1_ratio <= 1):
            raise ValueError(f"l1_ratio is {self.l1_ratio!r}; it must be a number from 0 to 1.")
        super().check()
