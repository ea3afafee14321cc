"""The inner folds of an estimator that chooses, of the rows whose weight is not 0: given ones, those of a splitter of
scikit-learn, or stratified ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from linclass.base import validation
from linclass.base.arrays import Array, ArrayLike, FoldsLike, MatrixLike, Seed
from linclass.base.many_fits import among_weighted
from linclass.base.messages import NotApplicable, counted
from linclass.tuning.folds import stratified_folds
from linclass.tuning.grouped_folds import distinct_groups


class Split(NamedTuple):
    """Numbers of the rows of a fold: those to fit to, and those to score."""

    train: Array
    held_out: Array

    def has_each_row_once(self, rows: int) -> bool:
        """Whether all rows that are not held out are training rows."""
        return np.array_equal(np.sort(np.concatenate(self)), np.arange(rows))


def check_folds(folds: FoldsLike) -> None:
    """Raise ValueError for a bool or a text, which are folds of no rows."""
    if isinstance(folds, bool | str):
        raise ValueError(
            f"folds is {folds!r}; give a whole number, the number of the fold of each row, splits (training rows, "
            "held-out rows), or a splitter of scikit-learn."
        )


def kept_folds(folds: FoldsLike, sample_weight: ArrayLike | None, y: ArrayLike) -> Any:
    """Folds among the rows whose weight is not 0: the fold of each row, or splits; a number or a splitter as it is."""
    if isinstance(folds, Integral) or hasattr(folds, "get_n_splits"):
        return folds
    rows = len(np.asarray(y))
    if (splits := _given_splits(folds)) is not None:
        return [Split(*among_weighted(split, rows, sample_weight)[0]) for split in splits]
    fold = np.asarray(folds)
    if fold.shape != (rows,) or fold.dtype.kind not in "iu":
        given = repr(folds) if fold.ndim == 0 else f"{fold.dtype} of shape {fold.shape}"
        raise ValueError(
            f"folds is {given}; give a whole number, the number of the fold of each of the {rows} rows, splits "
            "(training rows, held-out rows), or a splitter of scikit-learn."
        )
    fold = fold[validation.row_weights(sample_weight, rows) > 0]
    if len(set(fold.tolist())) < 2:
        raise ValueError("folds holds one fold of rows of positive weight; give at least two.")
    return fold


def _given_splits(folds: Any) -> list[Any] | None:
    """Pairs of row numbers or masks; None if it is something else."""
    if not isinstance(folds, Iterable) or isinstance(folds, str | np.ndarray):
        return None
    splits = list(folds)
    pairs = all(isinstance(split, tuple | list) and len(split) == 2 for split in splits)
    return splits if splits and pairs and np.ndim(splits[0][0]) == 1 else None


def inner_splits(
    folds: Any,
    X: MatrixLike,
    y: Array,
    strata: Array,
    groups: Array | None,
    random_state: Seed,
    owner: str,
) -> list[Split]:
    """The splits of these rows; a number of folds distributes them by strata."""
    if hasattr(folds, "get_n_splits"):
        folds = [Split(*map(np.asarray, split)) for split in folds.split(X, y, groups)]
    if isinstance(folds, list):
        return _checked(folds)
    fold = folds
    if isinstance(folds, Integral):
        fold = _stratified(int(folds), strata, groups, random_state, owner)
    return [Split(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold)]


def fold_of_rows(splits: Sequence[Split], rows: int) -> Array | None:
    """The number of the fold that holds each row out; None unless each row is held out once."""
    fold, held_out = np.empty(rows, dtype=int), [split.held_out for split in splits]
    if not np.array_equal(np.sort(np.concatenate(held_out)), np.arange(rows)):
        return None
    for k, own in enumerate(held_out):
        fold[own] = k
    return fold


def _checked(splits: list[Split]) -> list[Split]:
    if len(splits) < 2:
        raise ValueError(f"folds has {counted(len(splits), 'split')}; give at least two.")
    for i, (train, held_out) in enumerate(splits):
        if not (len(train) and len(held_out)):
            raise ValueError(
                f"split {i} of folds has no rows of positive weight to {'score' if len(train) else 'fit'}; give some."
            )
        if both := len(np.intersect1d(train, held_out)):
            raise ValueError(
                f"split {i} of folds holds {counted(both, 'row')} out and also fits to them; leave them out of one."
            )
    return splits


def _stratified(
    folds: int, strata: Array, groups: Array | None, random_state: Seed, owner: str
) -> Array:
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
    return stratified_folds(strata, min(folds, most), seed, groups)
