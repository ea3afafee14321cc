"""Folds × strengths of one objective at once.

Work that the fits share is done once. For small data it is one Newton's method on a stack of problems
(batched_folds.py). For larger data, each fold shares the rows, their transpose, and the path from the strongest
penalty to the weakest (regularization_path.py).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from linclass.applicability import NotApplicable
from linclass.batches.batched_folds import is_small, solve_folds
from linclass.conventions.many_fits import Folds, ManyFits
from linclass.numerics import Array
from linclass.parts import find


class FitsStrengths(ManyFits):
    """Mixin of estimators that are a `Composition`: models share work that differ in their strengths only."""

    get_params: Callable[..., dict[str, Any]]

    def _fit_group(self) -> str:
        others = {name: v for name, v in self.get_params().items() if name != "strength"}
        with np.printoptions(threshold=sys.maxsize):  # of arrays, such as factors, all entries
            return repr(others)

    def _fit_together(self, models: list[Any], folds: Folds) -> list[list[Any]]:
        return StrengthsOnFolds(models, folds).fits()


class StrengthsOnFolds:
    """Models that differ only in their strengths, and the folds to fit them on."""

    def __init__(self, models: Sequence[Any], folds: Folds):
        X, y, held_out, scaling, sample_weight = folds
        self.models, self.held_out, self.scaling = models, held_out, scaling
        self.whole = max(models, key=lambda model: model.strength)._unfitted()
        solver = None if self.whole.solver == "auto" else self.whole._solver(self.whole.solver)
        if self.whole.warm_start or self.whole.trace or hasattr(solver, "random_state"):
            raise NotApplicable(
                f"{self.whole!r} has a warm start, a trace or a seed; fit fold by fold."
            )
        if find("losses", self.whole.loss).piecewise_linear:
            raise NotApplicable(
                f"{self.whole!r} stops by its gap at a point that depends on the start; fit fold by fold."
            )
        self.X, self.codes, self.weights = self.whole._start_rows(X, y, sample_weight)
        weights = self.whole._class_weighted(self.codes, self.weights)
        self.objectives = self.whole._objectives(self.X, self.codes, weights)
        total, K = np.bincount(self.codes), len(self.whole.classes_)
        self.counts = np.array([total - np.bincount(self.codes[r], minlength=K) for r in held_out])

    @property
    def strengths(self) -> list[float]:
        return [float(model.strength) for model in self.models]

    @property
    def solver_name(self) -> str:
        return self.whole._chosen(self.objectives[0]).name

    def fits(self) -> list[list[Any]]:
        """The fitted models of each fold."""
        small = is_small(self)
        if not small and len(self.models) == 1:
            raise NotApplicable(
                f"{self.whole!r}: folds of so many rows have nothing to share; fit one by one."
            )
        complete = np.flatnonzero(small & (self.counts > 0).all(axis=1)).tolist()
        try:
            together = (
                dict(zip(complete, solve_folds(self, complete), strict=True)) if small else {}
            )
        except np.linalg.LinAlgError as error:
            raise NotApplicable(f"{self.whole!r}: {error} in one of the folds.") from error
        return [
            self._learned(together[fold]) if fold in together else self._one_by_one(fold)
            for fold in range(len(self.held_out))
        ]

    def _learned(self, solutions: Sequence[Any]) -> list[Any]:
        seen, models = {**vars(self.whole), "solver_": self.solver_name}, []
        for strength, solution in zip(self.strengths, solutions, strict=True):
            model = object.__new__(type(self.whole))
            vars(model).update(seen, strength=strength)
            models.append(model._finish(self.objectives, [solution], self.codes, None))
        return models

    def _one_by_one(self, fold: int) -> list[Any]:
        """A path through the penalized models; the others are fitted separately."""
        kept = np.ones(len(self.codes), dtype=bool)
        kept[self.held_out[fold]] = False
        X, y, weights = self.X[kept], self.whole.classes_[self.codes[kept]], self.weights[kept]
        if self.scaling is not None:
            X = scaled(X, *self.scaling[fold])
        models = [model._unfitted() for model in self.models]
        penalized = [model for model in models if model._is_penalized()]
        if penalized:
            first = max(penalized, key=lambda model: model.strength)._unfitted()
            rows, codes, own = first._start_fit(X, y, weights)
            first._fit_path(penalized, first._objectives(rows, codes, own), codes, own)
        return [model if model in penalized else model.fit(X, y, weights) for model in models]


def scaled(X: Any, shift: Array, scale: Array) -> Any:
    """(X − shift)/scale; sparse rows are not shifted."""
    if not sparse.issparse(X):
        return (X - shift) / scale
    X = X.copy()
    X.data /= scale[X.indices]
    return X
