"""The solutions theta of the minimizations as `coef_` and `intercept_`, one row for each class."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.composition.composition import Composition
from linclass.linear.objective.objective import Point
from linclass.linear.solvers.base import Solution


class ClassCoefficients(Composition):
    """Base of classifiers that minimize one objective for all classes, or one for each."""

    fit_intercept: bool
    trace: bool | Callable[[Any], float]
    classes_: Array
    n_features_in_: int
    coef_: Array
    intercept_: Array

    def _learn(self, solutions: Sequence[Solution]) -> None:
        parts = [s.theta.reshape(-1, s.theta.shape[-1]) for s in solutions]
        theta = parts[0] if len(parts) == 1 else np.vstack(parts)
        theta = self._of_each_class(theta, together=len(solutions) == 1)
        self.coef_, self.intercept_ = self._split(theta)
        for solution in solutions:
            self._adopt(solution.extra)

    def _of_each_class(self, theta: Array, together: bool) -> Array:
        """One row of parameters per class.

        Scores of jointly fitted classes are determined up to a common function, so their parameters are
        centred. A penalty with a kink determines the weights, whose zeros centring would destroy: then
        only the intercepts are centred, and the weights of features without a penalty. The squared loss of each
        class has targets of its own, which determine all scores.
        """
        K = len(self.classes_)
        if K > 2 and len(theta) == K - 1:
            theta = np.vstack([theta, np.zeros(theta.shape[1])])
        if K == 2 or not together or self._loss().quadratic:
            return theta
        penalty, d = self._effective_penalty(), self.n_features_in_
        if not penalty.kinked:
            theta -= theta.mean(axis=0)
            return theta
        penalty = penalty.for_features(getattr(self, "feature_names_in_", None))
        unpenalized = np.zeros(theta.shape[1], bool)
        unpenalized[:d] = False if penalty.unpenalized is None else penalty.unpenalized
        unpenalized[d:] = penalty.intercept is None
        theta[:, unpenalized] -= theta[:, unpenalized].mean(axis=0)
        return theta

    def _split(self, theta: Array) -> tuple[Array, Array]:
        d = self.n_features_in_
        intercept = theta[:, d].copy() if self.fit_intercept else np.zeros(len(theta))
        return np.ascontiguousarray(theta[:, :d]), intercept

    def _watch(self) -> Callable[[Point], float | None] | None:
        """With `trace` a function, its value for this model as it stands after each step; None of one among
        several that are solved one after another, each of a class against the rest."""
        watch = self.trace
        if not callable(watch):
            return None

        def value_at(point: Point) -> float | None:
            if point.theta.ndim == 1 and len(self.classes_) > 2:
                return None
            theta = self._of_each_class(np.atleast_2d(point.theta).copy(), together=True)
            model = copy.copy(self)
            model.coef_, model.intercept_ = self._split(theta)
            return watch(model)

        return value_at
