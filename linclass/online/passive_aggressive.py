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
Cost: O(n d K) a pass over the rows.
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
from linclass.online.margin_corrections import MarginCorrections, reciprocal
from linclass.online.online_classifier import LinearOnline

VARIANTS = ("PA", "PA-I", "PA-II")


class PassiveAggressive(LinearOnline, MarginCorrections):
    """Parameters
    ----------
    variant : {'PA', 'PA-I', 'PA-II'}, default='PA-I'
        Which of the three steps above.
    aggressiveness : float, default=1.0
        C, above 0: the largest step of PA-I, and what PA-II pays for a loss. PA does not use it.
    order : {'random', 'cyclic'}, default='random'
        Order of the rows in `fit`: 'random' shuffles the rows once, by their content and the seed, not by
        the order given; 'cyclic' takes them as given.
    fit_intercept : bool, default=True
        Whether to fit the intercept b. False sets b = 0.
    tol : float, default=0.001
        `fit` has converged after a pass in which every loss was at most `tol`.
    max_iter : int, default=100
        Limit on the number of passes over the rows.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the order 'random'. None draws a new one for each fit.
    class_weight : 'balanced', dict or None, default=None
        Factor on the weights of the rows of each class. 'balanced' gives every class the same total
        weight; a dict maps classes to factors (1 for those it leaves out); None is 1 for all.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes, sorted.
    coef_ : array of shape (1, d) for two classes, (K, d) for more
        Weights W.
    intercept_ : array of shape (1,) for two classes, (K,) for more
        Intercepts b.
    n_mistakes_ : int
        Number of visits to misclassified rows, in all passes of `fit` or in the last `partial_fit`.
    squared_loss_ : float
        Sum of ℓ² over all visits, each before its correction; ℓ is not 0 inside the margin either.
    """

    simpler: ClassVar[Mapping[str, int]] = {"aggressiveness": -1}
    squared_loss_: float

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
