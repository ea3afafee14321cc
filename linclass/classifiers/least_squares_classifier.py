"""Least squares classifier: regression on the class indicator matrix, then argmax.

    (W, b) = argmin (1/Σw_i) Σ w_i ½‖x_i·W + b − e_{y_i}‖² + strength · penalty(W)

With an intercept the K fitted values of a row sum to 1, though nothing keeps them in [0, 1]. Two
classes share one score, the difference of the two: the regression on y = ±1. Without a penalty
its direction is that of linear discriminant analysis.   Hastie, Tibshirani & Friedman (2009), §4.2
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass import validation
from linclass.classifiers.linear_classifier import LinearClassifier
from linclass.conventions import NotApplicable, require_memory
from linclass.estimators.indicator_regression import IndicatorRegression
from linclass.losses.squared import Squared
from linclass.numerics import Array
from linclass.statistics.class_moments import ClassMoments
from linclass.statistics.from_statistics import Folds, of_present_classes, with_refits
from linclass.statistics.leave_one_out import LONE
from linclass.statistics.left_out import left_out


class LeastSquaresClassifier(LinearClassifier):
    loss = "squared"

    def __init__(
        self,
        *,
        penalty: str | None = None,
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

    def fit_many(
        self,
        X: Any,
        y: Any,
        folds: Folds,
        params: Sequence[dict[str, Any]],
        scaling: Sequence[tuple[Any, Any]] | None = None,
    ) -> list[list[Any]]:
        """fits[fold][param], as `fit` gives them on all rows but the fold's, from sums over classes.

        Where least squares has a closed form: no penalty, or l2. Otherwise as any other loss does it.
        """
        asked = self._unfitted()
        models = [self._unfitted().set_params(**param) for param in params]
        for model in models:
            model.check()
        if not all(model._has_closed_form() for model in models):
            return super().fit_many(X, y, folds, params, scaling)
        X, codes, weights = asked._start_fit(X, y)
        folds = validation.held_out_rows(folds, len(codes))
        if X.shape[1] >= 2000 and self.solver == "auto":  # which then does without a Gram matrix
            return super().fit_many(X, y, folds, params, scaling)
        for model in models:
            _learn_features(model, asked)
        require_memory(32 * X.shape[1] ** 2, f"{type(self).__name__} needs a dense Gram matrix")
        lefts = left_out(X, codes, weights, len(asked.classes_), "tied", folds)
        shared = len({model.strength for model in models if model._is_penalized()}) > 1
        fits = []
        for j, left in enumerate(left for stack in lefts for left in stack.split()):
            sums, classes = of_present_classes(left, asked.classes_)
            if scaling is not None:
                sums = sums.scaled(*scaling[j])
            problems = {b: IndicatorRegression(sums, b) for b in {m.fit_intercept for m in models}}
            fits.append([m._fitted_to(problems[m.fit_intercept], classes, shared) for m in models])
        return fits

    def leave_one_out(self, X: Any, y: Any) -> Array:
        """`decision_function` of each row by the model of all the others.

        With the leverage h_i = [1 x_i](H + αI)⁻¹[1 x_i]ᵀ, the intercept free and α = (n − 1)·strength,
        the residual of a row is that of the fit to all rows over 1 − h_i.   Golub, Heath & Wahba (1979)
        """
        asked = self._unfitted()
        X_all, codes, weights = asked._start_fit(X, y)
        if not asked._has_closed_form():
            raise NotApplicable("leave_one_out needs least squares in closed form; use fit_many.")
        n, K = X_all.shape[0], len(asked.classes_)
        moments = ClassMoments.of(X_all, codes, weights, K, "tied")
        problem = IndicatorRegression(moments, self.fit_intercept)
        strength = self.strength * (n - 1) / n if self._is_penalized() else 0.0
        w, inverse = problem.coefficients(strength)
        U = (X_all.toarray() if sp.issparse(X_all) else X_all) - problem.mean
        leverage = np.einsum("ij,ji->i", U, inverse.times(U.T)) / n + self.fit_intercept / n
        fitted = U @ w.T + problem.target
        truth = problem.targets.T[codes]
        left = 1 - leverage
        lone = (left < LONE) | (moments.mass[codes] < 2)
        if inverse.rank is not None:
            lone[:] = True
        Z = truth - (truth - fitted) / np.where(lone, 1, left)[:, None]
        Z = np.hstack([np.zeros((n, 1)), Z]) if K == 2 else Z
        return with_refits(asked, X, y, Z, lone)

    def _fitted_to(self, problem: IndicatorRegression, classes: Array, shared: bool) -> Any:
        model = copy.copy(self)
        model.classes_, model.solver_ = classes, "least_squares"
        strength = float(self.strength) if self._is_penalized() else 0.0
        solutions = [problem.solve(strength, self.tol, shared)]
        model._learn(solutions)
        return model._say_how_it_ended(solutions, [None])

    def _has_closed_form(self) -> bool:
        """That follows from sums by class: class weights are the fold's own."""
        plain = self.class_weight is None and not self.warm_start and not self.trace
        known = self.penalty in (None, "unpenalized", "l2")
        return plain and known and self.solver in ("auto", "least_squares")

    def _problems(self, codes: Array) -> list[tuple[Any, Array]]:
        K = len(self.classes_)
        if K == 2:
            return [(Squared(), 2.0 * codes - 1)]
        return [(Squared(), (np.arange(K)[:, None] == codes).astype(float))]

    def _of_each_class(self, theta: Array, together: bool) -> Array:
        return theta  # nothing is free here: every class has targets of its own


def _learn_features(model: Any, other: Any) -> None:
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(other, name):
            setattr(model, name, getattr(other, name))
