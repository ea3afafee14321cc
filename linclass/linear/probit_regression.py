"""Probit regression:  P(1 | x) = Φ(w·x + b),  Φ the normal distribution function,

by (penalized) maximum likelihood:  (1/Σw_i) Σ w_i (−ln Φ(y_i z_i)) + strength · penalty(W),  y_i = ±1.
It models a normal latent variable that is observed only as above or below a threshold. Φ(z) is close to the
logistic function of 1.6 z, but its tails are lighter: a mislabelled row far from the boundary costs z²/2. It is for two
classes. OrdinalRegression is for ordered classes; for others there is OneVsRest(ProbitRegression()).

Predicts: scores Φ⁻¹(P(1 | x)), linear in x, and probabilities.
Cost: O(n d² + d³) per Newton step for up to 500 features; O(n d) per conjugate-gradient step for more.
Certificate: duality gap; gradient cosine without a penalty.
Reference: Bishop (2006), §4.3.5; McCullagh & Nelder (1989), §4.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from linclass.base.arrays import ClassWeight, Seed
from linclass.linear.linear_classifier import LinearClassifier
from linclass.linear.penalties.base import PenaltyLike
from linclass.linear.solvers.base import LearningRate, SolverLike


class ProbitRegression(LinearClassifier):
    loss = "probit"
    for_more_classes: ClassVar[str] = "OneVsRest(ProbitRegression())"

    def __init__(
        self,
        *,
        penalty: PenaltyLike = "l2",
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        solver: SolverLike = "auto",
        learning_rate: LearningRate = None,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        warm_start: bool = False,
        trace: bool | Callable[[Any], float] = False,
        random_state: Seed = None,
    ):
        self.penalty = penalty
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state
