"""The base class of linear classifiers and regressors, which minimize a loss and a penalty,

    θ(λ) = argmin (1/Σw_i) Σ w_i loss(y_i, z_i) + λ · penalty(W).

On a path of strengths λ each fit, from the strongest to the weakest, starts from the previous solution: near strengths
have near solutions, and strong penalties, whose solutions are near zero, are easy.
Friedman, Hastie & Tibshirani (2010), Journal of Statistical Software 33(1)
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from linclass.base.arrays import Array, ArrayLike, MatrixLike
from linclass.base.documentation import documented
from linclass.base.linear_scores import LinearGeometry
from linclass.base.many_fits import COUNT, RegularizationPath, check_strengths
from linclass.base.messages import one_warning
from linclass.base.offsets import offset_inside, require_offsets_taken
from linclass.base.parameters import require_positive, require_whole
from linclass.linear.composition import (
    Composition,
    idle_parameters,
    penalty_of,
    require_penalty,
    why_idle,
)
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.path import from_data
from linclass.linear.solvers.base import Solution, Trace

OF_ONE_FIT = (  # attributes that the next fit may not set again
    "_begun",
    "_information",
    "_states",
    "separating_direction_",
    "separating_intercept_",
    "trace_",
)


@documented
class LinearModel(LinearGeometry):
    """A subclass defines `_objectives`, `_old_parameters` and `_finish`."""

    paths: ClassVar[tuple[str, ...]] = ("strength",)  # parameters with `_path_values`
    begun_with: ClassVar = ("fit_intercept", "solver")  # not to change in partial_fit
    penalized: ClassVar[str] = ""  # models with a penalty, of one that can have none
    fit: Callable[..., Any]
    solver_: str

    def check(self) -> None:
        super().check()  # type: ignore[misc]
        Composition.of(self).check()

    def parts(self) -> list[str]:
        """Modules that a fit imports by name; with solver='auto', every solver that may be chosen."""
        return Composition.of(self).modules()

    @property
    def strength_matters(self) -> bool:
        """Whether fits at different strengths differ; without a penalty they are equal."""
        return bool(penalty_of(self).binds)

    @property
    def takes_names(self) -> bool:
        """Whether the penalty needs the names of the columns."""
        return penalty_of(self).needs_names

    def _fit(
        self: Any,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        offset: ArrayLike | None,
    ) -> Any:
        X, target, weights = self._start_fit(X, y, sample_weight)
        known = None if offset is None else self._offsets(offset, sample_weight, y)
        old = self._old_parameters() if self.warm_start else None
        self._forget(*OF_ONE_FIT)
        objectives = self._objectives(X, target, weights, known)
        solutions = [
            self._minimize(P, self._start(P, old, number)) for number, P in enumerate(objectives)
        ]
        return self._finish(objectives, solutions, target, weights)

    def _start(self, objective: Objective, old: Array | None, problem: int) -> Array:
        """Zero, or the old parameters of this problem, if they fit."""
        start = objective.zero()
        if old is not None and old.shape[1] == objective.design.width:
            last = old[-1] if len(old) == len(start) + 1 else 0.0  # of a reference class
            given = old[problem] if start.ndim == 1 else old[: len(start)] - last
            start = given.copy() if given.shape == start.shape else start
        return start

    def _minimize(self: Any, objective: Objective, start: Array) -> Solution:
        """Run the solver; sets `solver_` and, if requested, `trace_`."""
        solver = Composition.of(self).solver_for(objective)
        self.solver_ = solver.name
        trace = Trace(self._watch()) if self.trace else None
        solution = solver.solve(objective, start, trace)
        if trace:
            self.trace_ = [*getattr(self, "trace_", []), *trace.rows]
        return solution

    def _watch(self) -> Callable[[Point], float | None] | None:
        """What `trace` records besides the objective."""
        return None

    def _require_penalty(self) -> None:
        """Raise ValueError, with one sentence, if no strength acts on the fit."""
        require_penalty(self, self.penalized)

    def _idle_parameters(self) -> list[str]:
        return idle_parameters(self)

    def _why_idle(self, name: str) -> str:
        return why_idle(self, name)

    def _fits_at(
        self: Any,
        strengths: Sequence[float],
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        offset: ArrayLike | None,
    ) -> list[Any]:
        """Fitted copies of this estimator, in the order of the strengths."""
        first = self._unfitted(strength=max(strengths))
        X, target, weights = first._start_fit(X, y, sample_weight)
        known = offset_inside(first, offset, sample_weight, y)
        objectives = first._objectives(X, target, weights, **known)
        solver = Composition.of(first).solver_for(objectives[0])
        first.solver_ = solver.name
        order = sorted(range(len(strengths)), key=lambda i: -strengths[i])
        descending = [strengths[i] for i in order]
        solutions = [solver.path(P, descending, P.zero()) for P in objectives]
        fits: list[Any] = [None] * len(order)
        for i, *own in zip(order, *solutions, strict=True):
            fits[i] = copy.copy(first)
            fits[i].strength = strengths[i]
            fits[i]._finish(
                [P.with_strength(strengths[i]) for P in objectives], own, target, weights
            )
        return fits

    def _path_objectives(
        self: Any,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        offset: ArrayLike | None,
    ) -> list[Objective]:
        """The objectives of a fit to these rows, as a path at any strength minimizes them; checks the rows."""
        rows = self._start_fit(X, y, sample_weight)
        known = offset_inside(self, offset, sample_weight, y)
        objectives: list[Objective] = self._objectives(*rows, **known)
        return objectives

    def strength_path(
        self: Any,
        X: MatrixLike,
        y: ArrayLike,
        n: int = COUNT,
        decades: float | None = None,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Array:
        """Strengths in equal ratios, from the strongest that matters for these rows (linclass/linear/path.py).

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Class, or target, of each row.
        n : int
            Number of strengths, at least 2.
        decades : float or None
            Powers of ten between the strongest and the weakest. None is 5 for penalties with a kink at 0, whose
            strongest leaves all weights 0, and 7 for others, whose strongest explains at most 1 % of the loss.

        Returns
        -------
        array of shape (n,)
            Strengths, the strongest first, for `path`, TunedClassifier or TunedRegressor.
        """
        require_whole("n", n, 2)
        if decades is not None:
            require_positive("decades", decades)
        if offset is not None:
            require_offsets_taken(self.fit)
        self._require_penalty()
        first = self._unfitted(strength=1.0)
        first.check()
        return from_data(first._path_objectives(X, y, sample_weight, offset), n, decades)

    def _path_values(self, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
        """The values of a parameter that a study tunes over with `path`."""
        return self.strength_path(X, y)

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

        Returns
        -------
        RegularizationPath
            Fitted copies of this estimator, in the order of `strengths`. The estimator itself is not
            changed.
        """
        if offset is not None:
            require_offsets_taken(self.fit)
        self._require_penalty()
        fits = self._fits_at(check_strengths(strengths), X, y, sample_weight, offset)
        return RegularizationPath(fits)
