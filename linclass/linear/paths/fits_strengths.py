"""Estimators that fit folds × strengths of one objective at once.

Work that the fits share is done once. For small data it is one Newton's method on a stack of problems
(batched_folds.py). For larger data, each fold shares the rows, their transpose, and the path from the strongest
penalty to the weakest (fits_path.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix
from linclass.base.many_fits import Folds, ManyFits
from linclass.base.messages import NotApplicable
from linclass.base.offsets import given_offset
from linclass.base.parameters import key_of
from linclass.base.tables import named
from linclass.linear.paths.batched_folds import SMALL, is_small, solve_folds
from linclass.linear.paths.strengths_on_folds import StrengthModel, StrengthsOnFolds
from linclass.linear.solvers.base import Solution


class FitsStrengths(ManyFits):
    """Mixin of estimators that are a `Composition`: models share work that differ in their strengths only."""

    get_params: Callable[..., dict[str, Any]]

    def _fit_group(self) -> Hashable:
        return key_of({name: v for name, v in self.get_params().items() if name != "strength"})

    def _fit_together(self, models: list[StrengthModel], folds: Folds) -> list[list[StrengthModel]]:
        return fit_strengths(StrengthsOnFolds(models, folds))


def fit_strengths(folds: StrengthsOnFolds) -> list[list[StrengthModel]]:
    """The fitted models of each fold."""
    small = folds.offset is None and is_small(folds)
    if not small and len(folds.models) == 1:
        raise NotApplicable(
            f"{folds.strongest!r}: a single strength has nothing to share between folds, except where Newton's method "
            f"fits a smooth penalty to at most {SMALL} entries of X; give several strengths, or fit one by one."
        )
    complete = np.flatnonzero(small & (folds.counts > 0).all(axis=1)).tolist()
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # such fits are made one by one
            found = dict(zip(complete, solve_folds(folds, complete), strict=True)) if small else {}
    except np.linalg.LinAlgError as error:
        raise NotApplicable(f"{folds.strongest!r}: {error} in one of the folds.") from error
    # with rows far larger than all others, steps in the units that the folds share are inaccurate
    together = {fold: own for fold, own in found.items() if all(s.converged for s in own)}
    return [
        _learned(folds, together[fold]) if fold in together else _one_by_one(folds, fold)
        for fold in range(len(folds.held_out))
    ]


def _learned(folds: StrengthsOnFolds, solutions: Sequence[Solution]) -> list[StrengthModel]:
    seen, models = {**vars(folds.strongest), "solver_": folds.solver_name}, []
    for strength, solution in zip(folds.strengths, solutions, strict=True):
        model = object.__new__(type(folds.strongest))
        vars(model).update(seen, strength=strength)
        # rows and weights of all folds: only fits without a penalty use them, and these have one
        models.append(model._finish(folds.objectives, [solution], folds.codes, folds.weights))
    return models


def _one_by_one(folds: StrengthsOnFolds, fold: int) -> list[StrengthModel]:
    """A path through the penalized models; the others are fitted separately."""
    kept = np.ones(len(folds.codes), dtype=bool)
    kept[folds.held_out[fold]] = False
    X, y, weights = folds.X[kept], folds.strongest.classes_[folds.codes[kept]], folds.weights[kept]
    if folds.scaling is not None:
        X = scaled(X, *folds.scaling[fold])
    X = named(X, getattr(folds.strongest, "feature_names_in_", None))
    offset = given_offset(None if folds.offset is None else folds.offset[kept])
    models = [model._unfitted() for model in folds.models]
    penalized = [model for model in models if model._is_penalized()]
    if penalized:
        first = max(penalized, key=lambda model: model.strength)._unfitted()
        rows, codes, own = first._start_fit(X, y, weights)
        first._fit_path(penalized, first._objectives(rows, codes, own, **offset), codes, own)
    return [model if model in penalized else model.fit(X, y, weights, **offset) for model in models]


def scaled(X: Matrix, shift: Array, scale: Array) -> Any:
    """(X − shift)/scale; sparse rows are not shifted."""
    if not sparse.issparse(X):
        return (X - shift) / scale
    X = X.copy()
    X.data /= scale[X.indices]
    return X
