"""Linear regression:  (w, b) = argmin (1/Σw_i) Σ w_i ½(x_i·w + b − y_i)²,

ordinary least squares. Ridge, lasso and elastic net add a penalty.

Predicts: a number, linear in x.
Cost: O(n d min(n, d)).
Certificate: gradient cosine, that is of the residuals and a feature.
Reference: Hastie, Tibshirani & Friedman (2009), §3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, Matrix, MatrixLike, Seed
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_scores import LinearGeometry, products
from linclass.base.offsets import RegressorWithOffset, row_offsets
from linclass.linear.composition.composition import Composition
from linclass.linear.losses.regression import Squared
from linclass.linear.objective.objective import Objective
from linclass.linear.one_more_pass import OneMorePassOfTargets
from linclass.linear.solvers.base import LearningRate, Solution, SolverLike


class LinearRegression(Composition, RegressorWithOffset, OneMorePassOfTargets, LinearGeometry):
    """Parameters
    ----------
    solver : str, dict or Solver, default='auto'
        Algorithm that minimizes the objective, a file of linclass/linear/solvers such as 'newton',
        'newton_cg' or 'proximal_newton'. 'auto' chooses by loss, penalty and shape of X. A dict
        {name: options} sets the options of a solver.
    learning_rate : float, str, dict or None, default=None
        Step size (learning rate) of the solvers that have one, 'gradient_descent' and
        'stochastic_gradient': a number, or a rule such as {'inverse': 0.1}. None is the solver's own
        rule.
    fit_intercept : bool, default=True
        Whether to fit the intercept b. False sets b = 0.
    tol : float, default=1e-6
        Tolerance: the fit has converged when `certificate_` is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of iterations (for stochastic solvers: passes over the rows). None is the
        solver's own limit.
    warm_start : bool, default=False
        Whether `fit` starts from the coefficients of the previous fit.
    trace : bool, default=False
        Whether to record the progress of the solver in `trace_`.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the random order of rows, for stochastic solvers. None draws a new one for each fit.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights w.
    intercept_ : float
        Intercept b.
    solver_ : str
        The solver that was used.
    trace_ : list of dict, only with trace=True
        Passes over the rows, seconds, objective and gradient norm after each iteration.
    path_ : dict, only with solver={'gradient_descent': {'record': ...}}
        Parameters after the recorded iterations.
    """

    loss = "squared"
    penalty: Any = None
    strength: Any = 0.0
    coef_: Array

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

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        self._forget("_states")  # of partial_fit
        X, target, weights = self._start_fit(X, y, sample_weight)
        old = self._old_parameters() if self.warm_start else None
        known = self._offsets(offset, sample_weight, y)
        objectives = self._objectives(X, target, weights, known)
        start = self._start(objectives[0], old)
        return self._finish(objectives, [self._minimize(objectives[0], start)], target, weights)

    def _start(self, objective: Objective, old: Array | None, problem: int = 0) -> Array:
        """Zero, or the old parameters, if they fit."""
        return objective.zero() if old is None or old.shape != objective.shape else old

    def _objectives(
        self, X: Matrix, y: Array, weights: Array, offset: Array | None = None
    ) -> list[Objective]:
        """The objective to minimize, in a list of one."""
        self._forget("trace_")  # of an earlier fit
        design = DesignMatrix(X, self.fit_intercept)
        target = y if offset is None else y - offset
        return [self._objective(design, Squared(), target, weights)]

    def _finish(
        self,
        objectives: Sequence[Objective],
        solutions: Sequence[Solution],
        y: Array,
        weights: Array,
    ) -> Self:
        """Set the fitted attributes from the solution, and the status."""
        self._learn(solutions)
        return self._record(*self._ending(solutions), **self._measures(solutions))

    def _learn(self, solutions: Sequence[Solution]) -> None:
        theta, d = solutions[0].theta, self.n_features_in_
        self.coef_ = theta[:d]
        self.intercept_ = float(theta[d]) if self.fit_intercept else 0.0
        self._adopt(solutions[0].extra)

    def predict(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        found: Array = products(self._check_rows(X), self.coef_[None])[:, 0] + self.intercept_
        return found if offset is None else found + row_offsets(offset, found.shape)

    def _old_parameters(self) -> Array | None:
        if not hasattr(self, "coef_"):
            return None
        return np.append(self.coef_, [self.intercept_] if self.fit_intercept else [])
