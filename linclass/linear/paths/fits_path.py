"""Estimators that fit one objective at several strengths, along a regularization path,

    θ(λ) = argmin (1/Σw_i) Σ w_i loss(y_i, z_i) + λ · penalty(W),

from the strongest to the weakest, each started from the previous solution: near strengths have near solutions, and
strong penalties, whose solutions are near zero, are easy.
Friedman, Hastie & Tibshirani (2010), Journal of Statistical Software 33(1)
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array, ArrayLike, MatrixLike
from linclass.base.offsets import offset_inside
from linclass.linear.objective.objective import Objective
from linclass.linear.paths.has_path import HasPath


class FitsPath(HasPath):
    """Mixin of estimators with `_objectives`, such as a `Composition`, that have a `strength`."""

    penalized: ClassVar[str]  # models to name in place of one that can have no penalty
    # Defined by the estimator.
    get_params: Callable[..., dict[str, Any]]
    _unfitted: Callable[..., Any]
    _penalty: Callable[..., Any]
    _chosen: Callable[..., Any]
    _start_fit: Callable[..., Any]
    _objectives: Callable[..., list[Objective]]

    def _fits_at(
        self,
        strengths: Sequence[float],
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        offset: ArrayLike | None,
    ) -> list[Any]:
        unfitted = self._unfitted()
        models = [copy.copy(unfitted).set_params(strength=strength) for strength in strengths]
        first = models[int(np.argmax(strengths))]
        X, target, weights = first._start_fit(X, y, sample_weight)
        known = offset_inside(first, offset, sample_weight, y)
        objectives = first._objectives(X, target, weights, **known)
        first._fit_path(models, objectives, target, weights)
        return models

    def _path_objectives(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        offset: ArrayLike | None,
    ) -> list[Objective]:
        rows = self._start_fit(X, y, sample_weight)
        return self._objectives(*rows, **offset_inside(self, offset, sample_weight, y))

    def _require_penalty(self) -> None:
        if not self._penalty().binds:
            own = "penalty" in self.get_params(deep=False)
            remedy = "Set one, say penalty='l2'" if own else f"Use {self.penalized}, which have one"
            raise ValueError(f"{self!r} has no penalty, so no path. {remedy}.")

    def _fit_path(
        self, models: Sequence[Any], objectives: Sequence[Objective], target: Array, weights: Array
    ) -> None:
        """Fit copies of this estimator, whose data are checked, at strengths of their own."""
        order = sorted(range(len(models)), key=lambda i: -models[i].strength)
        strengths = [models[i].strength for i in order]
        seen = dict(vars(self))
        solver = self._chosen(objectives[0].with_strength(strengths[0]))
        paths = [solver.path(P, strengths, P.zero()) for P in objectives]
        for i, *solutions in zip(order, *paths, strict=True):
            model = models[i]
            model._adopt(seen | {"strength": model.strength, "solver_": solver.name})
            at_strength = [P.with_strength(model.strength) for P in objectives]
            model._finish(at_strength, solutions, target, weights)
