"""Least squares classifier: regression on the class indicator matrix, then argmax.

    (W, b) = argmin (1/Σw_i) Σ w_i ½‖x_i·W + b − e_{y_i}‖² + strength · penalty(W)

With an intercept the K fitted values of a row sum to 1, but they need not lie in [0, 1]. Two classes
share one score, the difference of the two, which is the regression on y = ±1. Without a penalty its
direction is that of linear discriminant analysis.

Predicts: scores, linear in x.
Cost: O(n d min(n, d)); for sparse rows and many features O(n d K) per conjugate-gradient step.
Certificate: gradient cosine; duality gap with a penalty.
Reference: Hastie, Tibshirani & Friedman (2009), §4.2.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from linclass.base.arrays import Array, ClassWeight, EstimatorLike, Seed
from linclass.base.many_fits import Folds, leave_one_out
from linclass.base.messages import require_memory
from linclass.discriminant.fold_sums import moments_left_out
from linclass.discriminant.from_statistics import of_present_classes
from linclass.linear.linear_classifier import LinearClassifier
from linclass.linear.linear_model import ending_of, is_penalized
from linclass.linear.losses.regression import Squared
from linclass.linear.penalties.base import PenaltyLike
from linclass.linear.solvers.base import LearningRate, SolverLike
from linclass.linear.solvers.least_squares import IndicatorRegression


class LeastSquaresClassifier(LinearClassifier):
    """Parameters
    ----------
    penalty : str, dict, Penalty or None
        Penalty on the weights, as in LinearClassifier: 'l2' is ridge regression on the indicators.
    """

    loss = "squared"
    leave_one_out = leave_one_out

    def __init__(
        self,
        *,
        penalty: PenaltyLike = None,
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

    def _fit_together(self, models: list[Any], folds: Folds) -> list[list[Any]]:
        """The fits of all folds; without a penalty or with 'l2' from the moments of all rows minus those of a fold."""
        checked = self._unfitted()
        if not checked._has_closed_form():
            return super()._fit_together(models, folds)
        X, codes, weights = checked._start_fit(folds.X, folds.y, folds.sample_weight)
        if X.shape[1] >= 2000 and self.solver == "auto":  # which then avoids the Gram matrix
            return super()._fit_together(models, folds)
        require_memory(32 * X.shape[1] ** 2, f"{type(self).__name__} needs a dense Gram matrix")
        for model in models:
            _learn_features(model, checked)
        lefts = moments_left_out(X, codes, weights, len(checked.classes_), "tied", folds.held_out)
        shared = is_penalized(self) and len({model.strength for model in models}) > 1
        fits = []
        for j, left in enumerate(left for stack in lefts for left in stack.split()):
            sums, classes = of_present_classes(left, checked.classes_)
            if folds.scaling is not None:
                sums = sums.scaled(*folds.scaling[j])
            problem = IndicatorRegression(sums, self.fit_intercept)
            fits.append([model._fitted_to(problem, classes, shared) for model in models])
        return fits

    def _fitted_to(self, problem: IndicatorRegression, classes: Array, shared: bool) -> Any:
        model = copy.copy(self)
        model.classes_, model.solver_ = classes, "least_squares"
        strength = float(self.strength) if is_penalized(self) else 0.0
        solutions = [problem.solve(strength, self.tol, shared)]
        model._learn(solutions)
        return model._record(**ending_of(model, solutions))

    def _has_closed_form(self) -> bool:
        """Whether the fit is a function of the class moments; balanced weights depend on the fold."""
        balanced = isinstance(self.class_weight, str)
        plain = not balanced and not self.warm_start and not self.trace
        ridge_or_none = self.penalty in (None, "unpenalized", "l2")
        return plain and ridge_or_none and self.solver in ("auto", "least_squares")

    def _problems(self, codes: Array) -> list[tuple[Any, Array]]:
        K = len(self.classes_)
        if K == 2:
            return [(Squared(), 2.0 * codes - 1)]
        return [(Squared(), (np.arange(K)[:, None] == codes).astype(float))]


def _learn_features(model: EstimatorLike, other: Any) -> None:
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(other, name):
            setattr(model, name, getattr(other, name))
