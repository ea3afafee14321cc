"""Logistic regression:  ln P(1 | x)/P(0 | x) = β·x + b,  for K classes  P(k | x) ∝ e^{β_k·x + b_k},

by (penalized) maximum likelihood, with row weights w_i and the penalty ½‖β‖² by default ('l2'):

    min (1/Σw_i) Σ w_i (−ln P(y_i | x_i)) + strength · penalty(β).

Predicts: log-odds, linear in x, and probabilities.
Cost: O(n p² + p³) per Newton step with few parameters p = K (d + 1); O(n d K) per conjugate-gradient step with many.
Certificate: duality gap; gradient cosine without a penalty.
Reference: Hastie, Tibshirani & Friedman (2009), §4.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linclass.base.arrays import ClassWeight, Seed
from linclass.linear.linear_classifier import LinearClassifier
from linclass.linear.penalties.base import PenaltyLike
from linclass.linear.solvers.base import LearningRate, SolverLike


class LogisticRegression(LinearClassifier):
    loss = "logistic"

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
