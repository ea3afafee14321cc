"""Ridge regression:  (w, b) = argmin (1/Σw_i) Σ w_i ½(x_i·w + b − y_i)² + strength · ½‖w‖².

scikit-learn's alpha is Σw·strength.   Hoerl & Kennard (1970), Technometrics 12
"""

from __future__ import annotations

from typing import Any

from linclass.classifiers.linear_regression import LinearRegression


class Ridge(LinearRegression):
    penalty = "l2"

    def __init__(
        self,
        *,
        strength: float = 1e-3,
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
        self.solver = solver
        self.step = step
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state
