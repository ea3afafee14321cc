"""Logistic regression:  ln P(1 | x)/P(0 | x) = w·x + b,  for K classes  P(k | x) ∝ e^{w_k·x + b_k},

by (penalized) maximum likelihood:  (1/Σw_i) Σ w_i (−ln P(y_i | x_i)) + strength · penalty(W).
Hastie, Tibshirani & Friedman (2009), §4.4
"""

from __future__ import annotations

from typing import Any

from linclass.classifiers.linear_classifier import LinearClassifier
from linclass.conventions import SoftmaxProbabilities


class LogisticRegression(SoftmaxProbabilities, LinearClassifier):
    loss = "logistic"

    def __init__(
        self,
        *,
        penalty: str | None = "l2",
        strength: float = 1e-3,
        solver: Any = "auto",
        step: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        warm_start: bool = False,
        trace: bool = False,
        random_state: Any = None,
    ):
        self.penalty = penalty
        self.strength = strength
        self.solver = solver
        self.step = step
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state
