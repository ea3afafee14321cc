"""Linear regression:  (w, b) = argmin (1/Σw_i) Σ w_i ½(x_i·w + b − y_i)²,

ordinary least squares. Ridge, lasso and elastic net add a penalty.

Predicts: a number, linear in x.
Cost: O(n d min(n, d)).
Certificate: gradient cosine, that is of the residuals and a feature.
Reference: Hastie, Tibshirani & Friedman (2009), §3.2.
"""

from __future__ import annotations

from typing import ClassVar

from linclass.base.arrays import Seed
from linclass.linear.linear_regressor import LinearRegressor
from linclass.linear.solvers.base import LearningRate, SolverLike


class LinearRegression(LinearRegressor):
    penalty = None
    strength = 0.0
    penalized: ClassVar[str] = "Ridge, Lasso or ElasticNet"

    def __init__(
        self,
        *,
        solver: SolverLike = "auto",
        learning_rate: LearningRate = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int | None = None,
        warm_start: bool = False,
        trace: bool = False,
        random_state: Seed = None,
    ):
        self.solver = solver
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state
