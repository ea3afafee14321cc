"""Least squares classifier: regression on the class indicator matrix, then argmax.

    (W, b) = argmin (1/Σw_i) Σ w_i ½‖x_i·W + b − e_{y_i}‖² + strength · penalty(W)

With an intercept the K fitted values of a row sum to 1, though nothing keeps them in [0, 1]. Two
classes share one score, the difference of the two: the regression on y = ±1. Without a penalty
its direction is that of linear discriminant analysis.   Hastie, Tibshirani & Friedman (2009), §4.2
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.classifiers.linear_classifier import LinearClassifier
from linclass.losses.squared import Squared
from linclass.numerics import Array


class LeastSquaresClassifier(LinearClassifier):
    loss = "squared"

    def __init__(
        self,
        *,
        penalty: str | None = None,
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

    def _problems(self, codes: Array) -> list[tuple[Any, Array]]:
        K = len(self.classes_)
        if K == 2:
            return [(Squared(), 2.0 * codes - 1)]
        return [(Squared(), (np.arange(K)[:, None] == codes).astype(float))]

    def _of_each_class(self, theta: Array, together: bool) -> Array:
        return theta  # nothing is free here: every class has targets of its own
