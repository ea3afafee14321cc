"""Relaxation with margin: the distance of a row from the half-space y (w·x + b) ≥ β is reduced by the factor 1 − η,

    w ← w + η ((β − y (w·x + b))/‖x‖²) y x   for rows of margin at most β,

with x including the constant 1 of the intercept. Seen in the space of weights each row is a half-space, and w is moved
towards those it is outside of: η < 1 stops short of the boundary (underrelaxation), η = 1 projects onto it, η > 1 goes
beyond it (overrelaxation). For 0 < η < 2 the distance of w from every solution decreases with each correction, so on
separable rows w converges to one. With K classes the margin is z_y − z_r for the best other class r, as in
PassiveAggressive, of which η = 1 and β = 1 is the first variant.

Predicts: scores, linear in x.
Cost: O(n d K) per pass over the rows.
Certificate: training mistakes, as a share of the rows.
Reference: Agmon (1954), Motzkin & Schoenberg (1954), Canad. J. Math. 6; Duda, Hart & Stork (2001), §5.6.
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import ClassWeight, Seed
from linclass.base.parameters import require_positive
from linclass.linear.solvers.corrections import Rule, Tally
from linclass.online.online_classifier import LinearOnlineClassifier, reciprocal


class Relaxation(LinearOnlineClassifier):
    """Parameters
    ----------
    margin : float, default=1.0
        β, above 0. Started from zero, only the scale of the weights depends on it.
    learning_rate : float, default=1.0
        η, above 0 and below 2.
    tol : float, default=0.001
        `fit` has converged after a pass in which no margin was below (1 − `tol`) β.

    Attributes
    ----------
    n_mistakes_ : int
        Number of visits to misclassified rows, in all passes of `fit` or in the last `partial_fit`.
    """

    keeps_grams = True

    def __init__(
        self,
        *,
        margin: float = 1.0,
        learning_rate: float = 1.0,
        order: str = "random",
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int = 100,
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.margin = margin
        self.learning_rate = learning_rate
        self.order = order
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        require_positive("margin", self.margin)
        require_positive("learning_rate", self.learning_rate, below=2)
        require_positive("tol", self.tol)

    def _rule(self) -> Rule:
        return Rule(
            self.margin,
            lambda squares, share: (share * self.learning_rate * reciprocal(squares), np.inf),
        )

    def _has_settled(self, tally: Tally) -> bool:
        return tally.least_margin >= (1 - self.tol) * self.margin
