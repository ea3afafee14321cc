"""Logistic regression:  ln P(1 | x)/P(0 | x) = w·x + b,  for K classes  P(k | x) ∝ e^{w_k·x + b_k},

by (penalized) maximum likelihood:  (1/Σw_i) Σ w_i (−ln P(y_i | x_i)) + strength · penalty(W).
Hastie, Tibshirani & Friedman (2009), §4.4
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.classifiers.linear_classifier import LinearClassifier
from linclass.conventions import SoftmaxProbabilities
from linclass.estimators.inference import Information, Summary
from linclass.numerics import Array
from linclass.objective import Objective
from linclass.solvers.base import Solution

LARGEST_SUMMARY = 500  # parameters, whose covariance is kept for it


class LogisticRegression(SoftmaxProbabilities, LinearClassifier):
    loss = "logistic"

    def __init__(
        self,
        *,
        penalty: str | None = "l2",
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
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
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.step = step
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state

    def summary(self) -> Summary:
        """The table of R's glm: standard errors, z scores, p-values, deviance; unpenalized fits."""
        information = getattr(self, "_information", None)
        if information is None:
            self._check_rows(np.zeros((1, getattr(self, "n_features_in_", 1))))  # is it fitted?
            raise ValueError(f"no standard errors: {self._why_no_summary()}")
        return Summary(information, self._parameter_names(), self.n_iter_)

    def _look_at_optimum(
        self, objective: Objective, solution: Solution, codes: Array, weights: Array
    ) -> None:
        regular = solution.converged and solution.rank is None and not objective.strength
        if regular and objective.n_parameters <= LARGEST_SUMMARY:
            self._information = Information.at(objective.at(solution.theta), codes, weights)

    def _why_no_summary(self) -> str:
        if self._is_penalized():
            return f"penalty is {self.penalty!r}, which biases the fit. Use penalty=None."
        if self.status_ != "converged":
            return f"status_ is {self.status_!r}: {self.reason_}"
        return f"{self.coef_.size} parameters; a covariance is kept up to {LARGEST_SUMMARY}."

    def _parameter_names(self) -> list[str]:
        n = self.n_features_in_
        features = list(getattr(self, "feature_names_in_", [f"x{j}" for j in range(n)]))
        first = ["(Intercept)", *features] if self.fit_intercept else features
        if len(self.classes_) == 2:
            return first
        return [f"{c}:{name}" for c in self.classes_[1:] for name in first]
