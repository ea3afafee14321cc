"""The base class of linear regressors that minimize the squared loss and a penalty, generalized linear models with
identity link: the mean of y may have an offset,

    E y = w·x + b + offset,

so that the fit is that to y − offset.   McCullagh & Nelder (1989), §2.2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, Matrix, MatrixLike, PerRow, Seed
from linclass.base.classifier import only_if
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_scores import products
from linclass.base.regressor import Regressor
from linclass.linear.linear_model import LinearModel, ending_of
from linclass.linear.losses.regression import Squared
from linclass.linear.objective.objective import Objective
from linclass.linear.offsets import given_offset, offsets_of, row_offsets
from linclass.linear.partial_fit import (
    nothing_if_refused,
    pass_over,
    rows_with_targets,
    why_no_partial_fit,
)
from linclass.linear.solvers.base import LearningRate, Solution, SolverLike

Factors = Sequence[float] | Array | Mapping[str, float] | None  # of the features in a penalty


class LinearRegressor(LinearModel, Regressor):
    """A subclass has a `penalty`.

    Parameters
    ----------
    strength : float
        Factor of the penalty in the objective above, at least 0. It is scikit-learn's alpha.
    factors : array of shape (d,), dict or None
        Factor f_j ≥ 0 of each feature in the penalty; 0 does not penalize it. None is 1 for all. A dict has factors
        by name of feature, 1 for those that it does not name.
    solver : str, dict or Solver
        Algorithm that minimizes the objective, of linclass/linear/solvers, such as 'newton', 'newton_cg' or
        'proximal_newton'. 'auto' chooses by penalty and shape of X. A dict {name: options} sets its options.
    learning_rate : float, str, dict or None
        Step size of the solvers that have one, 'gradient_descent' and 'stochastic_gradient': a number, or a rule such
        as {'inverse': 0.1}. None is the default of the solver.
    trace : bool
        Whether to record the progress of the solver in `trace_`.
    random_state : int, numpy.random.Generator or None
        Seed of the random order of rows, for stochastic solvers. None draws a new one for each fit.
    offset : array of shape (n,) or None
        Known part of the prediction. None is 0.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights w.
    intercept_ : float
        Intercept b.
    solver_
    trace_
    """

    loss = "squared"
    penalty: Any
    strength: float
    coef_: Array

    def __init__(
        self,
        *,
        strength: float = 1e-3,
        factors: Factors = None,
        solver: SolverLike = "auto",
        learning_rate: LearningRate = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int | None = None,
        warm_start: bool = False,
        trace: bool = False,
        random_state: Seed = None,
    ):
        self.strength = strength
        self.factors = factors
        self.solver = solver
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, offset: PerRow = None
    ) -> Self:
        return self._fit(X, y, sample_weight, offset)

    def _objectives(
        self, X: Matrix, y: Array, weights: Array, offset: Array | None = None
    ) -> list[Objective]:
        """The objective to minimize, in a list of one."""
        design = DesignMatrix(X, self.fit_intercept)
        target = y if offset is None else y - offset
        return [self._objective(design, Squared(), target, weights)]

    def _old_parameters(self) -> Array | None:
        if not hasattr(self, "coef_"):
            return None
        return np.append(self.coef_, [self.intercept_] if self.fit_intercept else [])[None]

    def _finish(
        self,
        objectives: Sequence[Objective],
        solutions: Sequence[Solution],
        y: Array,
        weights: Array,
    ) -> Self:
        """Set the fitted attributes from the solution, and the status."""
        self._learn(solutions)
        return self._record(**ending_of(self, solutions))

    def _learn(self, solutions: Sequence[Solution]) -> None:
        theta, d = solutions[0].theta, self.n_features_in_
        self.coef_ = theta[:d]
        self.intercept_ = float(theta[d]) if self.fit_intercept else 0.0
        if solutions[0].extra:
            self._adopt(solutions[0].extra)

    def _offsets(self, offset: PerRow, sample_weight: PerRow, y: ArrayLike) -> Array | None:
        """Offsets of the rows with positive weight; None without offsets."""
        return None if offset is None else offsets_of(offset, sample_weight, y, 2)

    def predict(self, X: MatrixLike, offset: PerRow = None) -> Array:
        y: Array = products(self._check_rows(X), self.coef_[None])[:, 0] + self.intercept_
        return y if offset is None else y + row_offsets(offset, y.shape)

    def score(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, offset: PerRow = None
    ) -> float:
        return self._determination(self.predict(X, **given_offset(offset)), y, sample_weight)

    @only_if(why_no_partial_fit)
    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, offset: PerRow = None
    ) -> Self:
        """Make one more pass, over these rows in the order given.

        It exists if the solver can be continued, as 'stochastic_gradient' can. After `fit` it goes on from the fitted
        coefficients, with the steps of a first pass.

        Returns
        -------
        self
        """
        begins = not hasattr(self, "coef_")
        with nothing_if_refused(self, begins):
            X, targets, weights = rows_with_targets(self, begins, X, y, sample_weight)
            offsets = self._offsets(offset, sample_weight, y)
        return pass_over(self, begins, X, targets, weights, offsets)
