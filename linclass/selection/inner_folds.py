"""The inner folds of an estimator that chooses, of the rows whose weight is not 0: given ones, or stratified ones."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from linclass.annotations import ArrayLike, Seed
from linclass.applicability import NotApplicable
from linclass.input import validation
from linclass.numerics.arrays import Array
from linclass.resampling.folds import stratified_folds
from linclass.resampling.grouped_folds import distinct_groups


def kept_folds(folds: Any, sample_weight: ArrayLike | None, y: ArrayLike) -> Any:
    """Folds, or their number, of the rows whose weight is not 0."""
    if isinstance(folds, Integral) and not isinstance(folds, bool):
        return folds
    fold, rows = np.asarray(folds), len(np.asarray(y))
    if fold.shape != (rows,) or fold.dtype.kind not in "iu":
        given = repr(folds) if fold.ndim == 0 else f"{fold.dtype} of shape {fold.shape}"
        raise ValueError(
            f"folds is {given}; give a whole number, or the number of the fold of each of the {rows} rows."
        )
    fold = fold[validation.row_weights(sample_weight, rows) > 0]
    if len(set(fold.tolist())) < 2:
        raise ValueError("folds holds one fold of rows of positive weight; give at least two.")
    return fold


def inner_folds(
    folds: Any, strata: Array, groups: Array | None, random_state: Seed, owner: str
) -> Array:
    """The fold of each row; rows are distributed over folds by strata."""
    if not isinstance(folds, Integral):
        return np.asarray(folds)
    if folds < 2:
        raise ValueError(f"folds is {folds}; cross-validation needs at least 2.")
    fewest = int(np.unique(strata, return_counts=True)[1].min())
    if fewest < 2:
        what = "rows of every class" if len(np.unique(strata)) > 1 else "rows"
        raise NotApplicable(
            f"{owner} holds {what} out, and needs 2 of each; there is 1 sample of one. "
            "Add rows, or choose by rule='aic'."
        )
    most = fewest if groups is None else min(fewest, len(distinct_groups(groups)[0]))
    if most < 2:
        raise NotApplicable("groups has 1 group; holding groups out needs at least 2.")
    seed = int(np.random.default_rng(random_state).integers(2**32))
    return stratified_folds(strata, min(int(folds), most), seed, groups)
