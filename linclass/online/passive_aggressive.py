"""Passive–aggressive: the least change of the weights that corrects a row,

    w ← w + τ y x,   ℓ = max(0, 1 − y (w·x + b)),
    PA     τ = ℓ/‖x‖²             the nearest w with ℓ = 0
    PA-I   τ = min(C, ℓ/‖x‖²)     argmin ½‖w − w_t‖² + C ℓ
    PA-II  τ = ℓ/(‖x‖² + 1/(2C))  argmin ½‖w − w_t‖² + C ℓ²

with x including the constant 1 of the intercept. A row of margin 1 or more changes nothing (passive). With K classes
the margin is z_y − z_r for the best other class r; τ x is added to w_y and subtracted from w_r, and 2‖x‖² replaces
‖x‖². For any u, with losses ℓ_t(u) and ‖x‖ ≤ R,

    PA-I   mistakes ≤ max(R², 1/C) (‖u‖² + 2C Σ ℓ_t(u)),      PA-II   Σ ℓ_t² ≤ (R² + 1/(2C)) (‖u‖² + 2C Σ ℓ_t(u)²).

Predicts: scores, linear in x.
Cost: O(n d K) per pass over the rows.
Certificate: training mistakes, as a share of the rows.
Reference: Crammer, Dekel, Keshet, Shalev-Shwartz & Singer (2006), JMLR 7, theorems 4 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array, ClassWeight, Seed
from linclass.base.parameters import require_positive
from linclass.linear.solvers.corrections import Rule, Tally
from linclass.online.online_classifier import LinearOnlineClassifier, reciprocal

VARIANTS = ("PA", "PA-I", "PA-II")


class PassiveAggressive(LinearOnlineClassifier):
    """Parameters
    ----------
    variant : {'PA', 'PA-I', 'PA-II'}, default='PA-I'
        The step, one of the three above.
    aggressiveness : float, default=1.0
        C, above 0: the largest step of PA-I, and what PA-II pays for a loss. PA does not use it.
    tol : float, default=0.001
        `fit` has converged after a pass in which every loss was at most `tol`.

    Attributes
    ----------
    n_mistakes_ : int
        Number of visits to misclassified rows, in all passes of `fit` or in the last `partial_fit`.
    squared_loss_ : float
        Sum of ℓ² over all visits, each before its correction; ℓ is not 0 inside the margin either.
    """

    simpler: ClassVar[Mapping[str, int]] = {"aggressiveness": -1}
    squared_loss_: float

    keeps_grams = True

    def __init__(
        self,
        *,
        variant: str = "PA-I",
        aggressiveness: float = 1.0,
        order: str = "random",
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int = 100,
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.variant = variant
        self.aggressiveness = aggressiveness
        self.order = order
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        if self.variant not in VARIANTS:
            raise ValueError(f"variant is {self.variant!r}; use {', '.join(VARIANTS)}.")
        require_positive("aggressiveness", self.aggressiveness)
        require_positive("tol", self.tol)

    def _rule(self) -> Rule:
        return Rule(1.0, self._line)

    def _line(self, squares: Array, share: Array) -> tuple[Any, Any]:
        C = self.aggressiveness * share
        if self.variant == "PA-II":
            return 1 / (squares + 1 / (2 * C)), np.inf
        return reciprocal(squares), C if self.variant == "PA-I" else np.inf

    def _has_settled(self, tally: Tally) -> bool:
        return tally.least_margin >= 1 - self.tol

    def _report_mistakes(self, tally: Tally) -> None:
        super()._report_mistakes(tally)
        self.squared_loss_ = tally.squared_loss
