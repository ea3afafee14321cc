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

from linclass.annotations import ArrayLike, MatrixLike
from linclass.batches.regularization_path import RegularizationPath, check_strengths
from linclass.conventions.convergence_warning import one_warning
from linclass.conventions.offsets import offset_inside, require_offsets_taken
from linclass.numerics import Array
from linclass.objective.objective import Objective


class FitsPath:
    """Mixin of estimators with `_objectives`, such as a `Composition`, that have a `strength`."""

    penalized: ClassVar[str]  # models to name in place of one that can have no penalty
    # Defined by the estimator.
    fit: Callable[..., Any]
    get_params: Callable[..., dict[str, Any]]
    _unfitted: Callable[..., Any]
    _penalty: Callable[..., Any]
    _chosen: Callable[..., Any]

    @one_warning
    def path(
        self,
        X: MatrixLike,
        y: ArrayLike,
        strengths: Sequence[float],
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> RegularizationPath:
        """The fits at several strengths, each started from the solution at the next stronger one; without a trace.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Class, or target, of each row.
        strengths : sequence of float
            Strengths of the penalty, above 0, in any order.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; None weighs all rows equally.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores of the training rows, for models whose `fit` takes one. None is 0.

        Returns
        -------
        RegularizationPath
            Fitted copies of this estimator, in the order of `strengths`. The estimator itself is not
            changed.
        """
        if offset is not None:
            require_offsets_taken(self.fit)
        strengths = check_strengths(strengths)
        if not self._penalty().binds:
            own = "penalty" in self.get_params(deep=False)
            remedy = "Set one, say penalty='l2'" if own else f"Use {self.penalized}, which have one"
            raise ValueError(f"{self!r} has no penalty, so no path. {remedy}.")
        unfitted = self._unfitted()
        models = [copy.copy(unfitted).set_params(strength=strength) for strength in strengths]
        first = models[int(np.argmax(strengths))]
        X, target, weights = first._start_fit(X, y, sample_weight)
        known = offset_inside(first, offset, sample_weight, y)
        objectives = first._objectives(X, target, weights, **known)
        first._fit_path(models, objectives, target, weights)
        return RegularizationPath(models)

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
            vars(model).update(seen | {"strength": model.strength, "solver_": solver.name})
            at_strength = [P.with_strength(model.strength) for P in objectives]
            model._finish(at_strength, solutions, target, weights)
