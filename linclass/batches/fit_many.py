"""Folds × parameters of one classifier at once:  fits[fold][param], each as `fit` alone would end.

Work that the fits share is done once. For small data it is one Newton's method on a stack of problems
(batched_folds.py). For larger data, each fold shares the rows, their transpose, and the path from the strongest
penalty to the weakest (path.py).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse

from linclass import validation
from linclass.applicability import NotApplicable
from linclass.batches.batched_folds import is_small, solve_folds
from linclass.numerics import Array
from linclass.parts import find
from linclass.unfinished import one_warning

Scaling = Sequence[tuple[Array, Array]]


class FitsMany:
    """Mixin of classifiers that are a `Composition`."""

    @one_warning
    def fit_many(
        self,
        X: Any,
        y: Any,
        folds: Sequence[Any],
        params: Sequence[dict[str, Any]],
        scaling: Scaling | None = None,
        sample_weight: Any = None,
    ) -> list[list[Self]]:
        """Fit on the training rows of each fold, for each setting of parameters.

        Raises NotApplicable if the fits have nothing to share.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            All rows.
        y : array of shape (n,)
            Class of each row.
        folds : sequence of arrays
            Held-out rows of each fold: indices, or a boolean mask of shape (n,).
        params : sequence of dict
            Parameters to set for each fit of a fold; [{}] fits once with the present ones.
        scaling : sequence of (shift, scale) or None, default=None
            For each fold, fit on (X − shift)/scale. None leaves X as it is.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; None weighs all rows equally.

        Returns
        -------
        list of lists of estimators
            `fits[fold][param]`, fitted to the rows that are not in the fold.
        """
        held_out, _ = validation.among_weighted(folds, len(y), sample_weight)
        models = [self._unfitted().set_params(**changed) for changed in params]  # type: ignore[attr-defined]
        fits: list[list[Any]] = [[None] * len(models) for _ in held_out]
        for members in _equal_but_for_strength(models):
            own = Folds([models[i] for i in members], X, y, held_out, scaling, sample_weight).fits()
            for fold, found in zip(fits, own, strict=True):
                for i, model in zip(members, found, strict=True):
                    fold[i] = model
        return fits


class Folds:
    """Models that differ only in their strengths, and the folds to fit them on."""

    def __init__(
        self,
        models: Sequence[Any],
        X: Any,
        y: Any,
        held_out: Sequence[Array],
        scaling: Scaling | None,
        sample_weight: Any = None,
    ):
        for model in models:
            model.check()
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
        seen, models = {**vars(self.whole), "solver_": "newton"}, []
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


def _equal_but_for_strength(models: Sequence[Any]) -> Iterable[list[int]]:
    groups: dict[str, list[int]] = {}
    for i, model in enumerate(models):
        others = {name: v for name, v in model.get_params().items() if name != "strength"}
        with np.printoptions(threshold=sys.maxsize):  # of arrays, such as factors, all entries
            groups.setdefault(repr(others), []).append(i)
    return groups.values()
