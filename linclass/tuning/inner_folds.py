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
from linclass.base.messages import NotApplicable, counted, warn_user
from linclass.tuning.folds import distinct_groups, stratified_folds


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
            f"cv is {folds!r}; give a whole number, the number of the fold of each row, splits (training rows, "
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
            f"cv is {given}; give a whole number, the number of the fold of each of the {rows} rows, splits "
            "(training rows, held-out rows), or a splitter of scikit-learn."
        )
    fold = fold[validation.row_weights(sample_weight, rows) > 0]
    if len(set(fold.tolist())) < 2:
        raise ValueError("cv holds one fold of rows of positive weight; give at least two.")
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
    """The splits of these rows; a number of folds distributes them by strata, the codes of the classes.

    Warns if there are fewer folds than asked for.
    """
    if hasattr(folds, "get_n_splits"):
        folds = [Split(*map(np.asarray, split)) for split in folds.split(X, y, groups)]
    if isinstance(folds, list):
        splits = _checked(folds)
    else:
        fold = folds
        if isinstance(folds, Integral):
            fold = _stratified(int(folds), y, strata, groups, random_state, owner)
        splits = [
            Split(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold)
        ]
    return splits


def warn_of_unseen_classes(splits: Sequence[Split], y: Array, strata: Array, owner: str) -> None:
    """Warn if training rows lack a class, so that scores on held-out rows of it cannot tell candidates apart."""
    if lacking := classes_without_training_rows(splits, strata):
        label = _label(y, strata, next(iter(lacking.values())))
        warn_user(
            f"{owner}: {len(lacking)} of {len(splits)} inner folds have training rows without one of the classes, such "
            f"as class {label}, which no candidate can predict there. Set cv=5, or shuffle the rows."
        )


def classes_without_training_rows(splits: Sequence[Split], strata: Array) -> dict[int, int]:
    """The first class that the training rows of a split lack, by the number of the split."""
    known, lacking = np.unique(strata), {}
    for number, (train, _) in enumerate(splits):
        missing = np.setdiff1d(known, strata[train])
        if len(missing):
            lacking[number] = int(missing[0])
    return lacking


def _label(y: Array, strata: Array, code: int) -> str:
    return repr(y[strata == code].tolist()[0])


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
        raise ValueError(f"cv has {counted(len(splits), 'split')}; give at least two.")
    for i, (train, held_out) in enumerate(splits):
        if not (len(train) and len(held_out)):
            raise ValueError(
                f"split {i} of cv has no rows of positive weight to {'score' if len(train) else 'fit'}; give some."
            )
        if both := len(np.intersect1d(train, held_out)):
            raise ValueError(
                f"split {i} of cv holds {counted(both, 'row')} out and also fits to them; leave them out of one."
            )
    return splits


def _stratified(
    folds: int, y: Array, strata: Array, groups: Array | None, random_state: Seed, owner: str
) -> Array:
    if folds < 2:
        raise ValueError(f"cv is {folds}; cross-validation needs at least 2.")
    codes, counts = np.unique(strata, return_counts=True)
    fewest, rarest = int(counts.min()), _label(y, strata, codes[counts.argmin()])
    one_class = len(codes) == 1
    if fewest < 2:
        raise NotApplicable(
            f"y has 1 sample, and {owner} needs at least 2 to hold some out."
            if one_class
            else f"class {rarest} has 1 row; {owner} holds rows of every class out, and needs 2 of each. Add rows, or "
            "leave the class out."
        )
    few, limit = f"{'y' if one_class else f'class {rarest}'} has {fewest} rows", fewest
    if groups is not None and (n_groups := len(distinct_groups(groups)[0])) < limit:
        few, limit = f"groups has {counted(n_groups, 'group')}", n_groups
    if limit < 2:
        raise NotApplicable(f"{few}; holding groups out needs at least 2.")
    if limit < folds:
        warn_user(f"{owner} uses {limit} inner folds, not {folds}, because {few}. Set cv={limit}.")
    seed = int(np.random.default_rng(random_state).integers(2**32))
    return stratified_folds(strata, min(folds, limit), seed, groups)
