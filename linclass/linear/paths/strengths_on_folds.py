"""Models that differ only in their strengths, and the folds to fit them on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, ClassWeight, Matrix, MatrixLike
from linclass.base.many_fits import Folds
from linclass.base.messages import NotApplicable
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution, Solver, SolverLike


class StrengthModel(Protocol):
    """The interface of estimators that are a `Composition`."""

    loss: Any
    strength: float
    solver: SolverLike  # a name, {name: options} or a Solver
    class_weight: ClassWeight
    warm_start: bool
    trace: Any
    classes_: Array

    @property
    def _chooses_solver(self) -> bool: ...
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self: ...
    def _unfitted(self) -> Self: ...
    def _is_penalized(self) -> bool: ...
    def _loss(self) -> Any: ...
    def _solver(self, chosen: Any) -> Solver: ...
    def _chosen(self, objective: Objective) -> Solver: ...
    def _start_rows(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Matrix, Array, Array]: ...
    def _start_fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Matrix, Array, Array]: ...
    def _offsets(
        self, offset: ArrayLike | None, sample_weight: ArrayLike | None, y: ArrayLike
    ) -> Array | None: ...
    def _class_weighted(self, codes: Array, weights: Array) -> Array: ...
    def _objectives(
        self, X: Matrix, codes: Array, weights: Array, offset: Array | None = None
    ) -> list[Objective]: ...
    def _fit_path(
        self,
        models: Sequence[Any],
        objectives: Sequence[Objective],
        target: Array,
        weights: Array,
    ) -> None: ...
    def _finish(
        self,
        objectives: Sequence[Objective],
        solutions: Sequence[Solution],
        codes: Array,
        weights: Array,
    ) -> Self: ...


class StrengthsOnFolds:
    """Models that differ only in their strengths, and the folds to fit them on.

    `strongest` is a copy of the model with the largest strength, which has checked all rows and has their objectives.
    """

    def __init__(self, models: Sequence[StrengthModel], folds: Folds):
        X, y, held_out, scaling, sample_weight, offset = folds
        self.models, self.held_out, self.scaling = models, held_out, scaling
        self.strongest = model = max(models, key=lambda model: model.strength)._unfitted()
        solver = None if model._chooses_solver else model._solver(model.solver)
        if model.warm_start or model.trace or hasattr(solver, "random_state"):
            raise NotApplicable(f"{model!r} has a warm start, a trace or a seed; fit fold by fold.")
        if model._loss().piecewise_linear:
            raise NotApplicable(
                f"{model!r} stops by its gap at a point that depends on the start; fit fold by fold."
            )
        self.X, self.codes, self.weights = model._start_rows(X, y, sample_weight)
        self.offset = model._offsets(offset, sample_weight, y)
        weights = model._class_weighted(self.codes, self.weights)
        self.objectives = model._objectives(self.X, self.codes, weights)
        total = np.bincount(self.codes)
        self.counts = np.array(
            [total - np.bincount(self.codes[r], minlength=len(total)) for r in held_out]
        )
        if self.offset is not None and self.offset.ndim > 1 and not self.counts.all():
            raise NotApplicable(
                "offset has a column of a class that a fold lacks; fit fold by fold."
            )

    @property
    def strengths(self) -> list[float]:
        return [float(model.strength) for model in self.models]

    @cached_property
    def solver_name(self) -> str:
        return self.strongest._chosen(self.objectives[0]).name
