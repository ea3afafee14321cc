"""Elastic net regression, from ridge (l1_ratio = 0) to lasso (1):

    (w, b) = argmin (1/Σw_i) Σ w_i ½(x_i·w + b − y_i)² + strength · (l1_ratio·‖w‖₁ + (1 − l1_ratio)·½‖w‖²).

scikit-learn's alpha is strength.   Zou & Hastie (2005), J. Royal Statistical Society B 67
"""

from __future__ import annotations

from typing import Any

from linclass.classifiers.linear_regression import LinearRegression


class ElasticNet(LinearRegression):
    penalty = "elastic_net"

    def __init__(
        self,
        *,
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        solver: Any = "auto",
        step: Any = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int | None = None,
        warm_start: bool = False,
        trace: bool = False,
        random_state: Any = None,
    ):
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.step = step
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state
