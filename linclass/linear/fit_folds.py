"""Folds × strengths of one model at once: each fold is fitted along the path of strengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix
from linclass.base.many_fits import Folds
from linclass.base.messages import NotApplicable
from linclass.base.tables import named
from linclass.linear.linear_model import is_penalized, loss_of, solver_of


def fit_folds(models: Sequence[Any], folds: Folds) -> list[list[Any]]:
    """The fits of each fold, of models that differ only in their strengths."""
    first = models[0]._unfitted()
    seeded = first.solver != "auto" and hasattr(solver_of(first), "random_state")
    if first.warm_start or first.trace or seeded:
        raise NotApplicable(f"{first!r} has a warm start, a trace or a seed; fit fold by fold.")
    if loss_of(first).piecewise_linear:
        raise NotApplicable(
            f"the solution of {first!r} depends on its start, within tol; fit fold by fold."
        )
    if len(models) == 1:
        raise NotApplicable(
            f"{first!r}: fit_many saves nothing for a single strength; give several, or fit fold by fold."
        )
    first.class_weight = None  # which the fit of each fold applies
    X, codes, weights = first._start_fit(folds.X, folds.y, folds.sample_weight)

    def rows_of(fold: int, kept: Array) -> Any:
        rows = X[kept] if folds.scaling is None else scaled(X[kept], *folds.scaling[fold])
        return named(rows, getattr(first, "feature_names_in_", None))

    fits = []
    for fold, held_out in enumerate(folds.held_out):
        kept = np.ones(len(codes), dtype=bool)
        kept[held_out] = False
        y = first.classes_[codes[kept]]
        fits.append(fit_path(models, rows_of(fold, kept), y, weights[kept]))  # rows of one fold
    return fits


def fit_path(models: Sequence[Any], X: Any, y: Array, weights: Array) -> list[Any]:
    """Fits of models that differ only in their strengths; those without a penalty are fitted separately."""
    penalized = [i for i, model in enumerate(models) if is_penalized(model)]
    fits = {}
    if penalized:
        strengths = [models[i].strength for i in penalized]
        path = models[penalized[0]]._fits_at(strengths, X, y, weights)
        fits = dict(zip(penalized, path, strict=True))
    return [
        fits[i] if i in fits else model._unfitted().fit(X, y, weights)
        for i, model in enumerate(models)
    ]


def scaled(X: Matrix, shift: Array, scale: Array) -> Any:
    """(X − shift)/scale; sparse rows are not shifted."""
    if not sparse.issparse(X):
        Z = X - shift
        Z /= scale
        return Z
    X = X.copy()
    X.data /= scale[X.indices]
    return X
