"""Folds and seeds: functions of the data and of names, not of order, time or number of cores.

Stratified k-fold: the rows of each class are shuffled, the classes are concatenated, and the rows are assigned to the
folds 1, 2, …, k, 1, 2, … in turn. Every fold gets ⌊n_c/k⌋ or ⌈n_c/k⌉ of the n_c rows of a class, and likewise of all
rows: class counts *and* fold sizes differ by at most one.

If rows belong to groups, whole groups are assigned (below), and classes are balanced
as far as the groups permit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from linclass.base import validation
from linclass.base.arrays import Array, ArrayLike, FoldsLike, MatrixLike, PerRow, Seed
from linclass.base.many_fits import among_weighted
from linclass.base.messages import NotApplicable, counted, warn_user


def seed_of(*names: object) -> int:
    """A seed in [0, 2³²) from names, such as (dataset, protocol, repeat, fold)."""
    text = "\x1f".join(map(str, names))  # the unit separator: 'a', 'b' is not 'ab'
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big")


def stratified_folds(
    y: np.ndarray,
    folds: int,
    seed: int,
    groups: np.ndarray | None = None,
    names: Sequence[Any] | None = None,
) -> np.ndarray:
    """The fold, 0 … folds − 1, in which each row is held out; a group is held out as a whole.

    Error messages use the `names` of the classes, or else their codes.
    """
    if folds < 2:
        raise ValueError(f"folds is {folds}; cross-validation needs at least 2.")
    if groups is not None:
        return grouped_parts(y, groups, [1 / folds] * folds, seed, names)
    classes, counts = np.unique(y, return_counts=True)
    if folds > counts.min():
        least = counts.min()
        remedy = f"Use at most {least} folds." if least > 1 else "Leave it out, or add rows to it."
        name = _named(classes[counts.argmin()], names)
        raise NotApplicable(
            f"{folds} folds need {folds} rows of every class; class {name} has {least}. {remedy}"
        )
    bits = np.random.PCG64(seed)  # its raw stream does not depend on NumPy's version
    shuffled = np.lexsort((bits.random_raw(len(y)), y))  # class by class, random within
    seats = np.argsort(bits.random_raw(folds))  # random, so that no fold is always the largest
    fold = np.empty(len(y), dtype=np.int64)
    fold[shuffled] = seats[np.arange(len(y)) % folds]
    return fold


def hold_out(
    y: np.ndarray,
    share: float,
    seed: int,
    groups: np.ndarray | None = None,
    names: Sequence[Any] | None = None,
) -> np.ndarray:
    """Mask of the held-out rows: about `share` of each class, and at least one row on each side."""
    if groups is not None:
        return grouped_parts(y, groups, [share, 1 - share], seed, names) == 0
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if counts.min() < 2:
        name = _named(classes[counts.argmin()], names)
        raise NotApplicable(
            f"a hold-out needs 2 rows of every class, one on each side; class {name} has 1. "
            "Leave it out, or add rows to it."
        )
    wanted = np.clip(np.rint(share * counts), 1, counts - 1)
    return _place_in_class(codes, counts, np.random.PCG64(seed)) < wanted[codes]


def nested_order(y: np.ndarray, seed: int, groups: np.ndarray | None = None) -> np.ndarray:
    """The rows in an order every beginning of which is a stratified sample: first a row of each class, then a share q
    of the rows of every class, to within one row. With groups, whole groups in random order.
    """
    bits = np.random.PCG64(seed)
    if groups is not None:
        kinds, members = distinct_groups(groups)
        return np.argsort(bits.random_raw(len(kinds))[members], kind="stable")
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    place = _place_in_class(codes, counts, bits)
    quantile = np.where(place > 0, (place + 0.5) / counts[codes], 0)
    return np.lexsort((codes, quantile))


def _place_in_class(codes: np.ndarray, counts: np.ndarray, bits: np.random.PCG64) -> np.ndarray:
    """The place of each row among those of its class, in random order."""
    shuffled = np.lexsort((bits.random_raw(len(codes)), codes))
    place = np.empty(len(codes), dtype=np.int64)
    place[shuffled] = np.arange(len(codes)) - (np.cumsum(counts) - counts)[codes[shuffled]]
    return place


def _named(code: int, names: Sequence[Any] | None) -> str:
    return str(code) if names is None else repr(names[code])


# Folds of whole groups: all rows of one patient, author or day are on the same side.
#
# Groups are assigned greedily, the largest first, each to the part that keeps the classes most balanced: with c_fk
# rows of class k in part f so far, t_k in all, and the fraction s_f of the rows that part f should have, the part
# is chosen that minimizes
#
#     Σ_f Σ_k c_fk² / (t_k s_f),
#
# whose minimum is attained by parts with equal class frequencies. Groups of about the same size (within a factor of
# two) are assigned in random order, so that repeats differ. No part gets all groups of a class, so the training rows
# have every class.   After scikit-learn's StratifiedGroupKFold, which is greedy in the same way.

TRIES = 20  # random orders, if the last group of a class cannot be assigned


def grouped_parts(
    y: np.ndarray,
    groups: np.ndarray,
    shares: Sequence[float],
    seed: int,
    names: Sequence[Any] | None = None,
) -> np.ndarray:
    """The part, 0 … len(shares) − 1, of each row; error messages use the `names` of the classes."""
    classes, codes = np.unique(y, return_inverse=True)
    kinds, members = distinct_groups(groups)
    counts = np.zeros((len(kinds), len(classes)), dtype=np.int64)
    np.add.at(counts, (members, codes), 1)
    n_groups, parts, of_class = len(kinds), len(shares), (counts > 0).sum(axis=0)
    if n_groups < parts:
        fewer = f"use at most {n_groups} folds, or " if n_groups > 1 else ""
        raise NotApplicable(
            f"{parts} folds of whole groups need {parts} groups, and there "
            f"{'is' if n_groups == 1 else 'are'} {n_groups}; {fewer}choose other groups."
        )
    if of_class.min() < 2:
        raise NotApplicable(
            f"all rows of class {_named(classes[of_class.argmin()], names)} are in one group, so no model of the "
            "other groups can learn it; leave the class out, or choose other groups."
        )
    bits = np.random.PCG64(seed)  # its raw stream does not depend on NumPy's version
    for _ in range(TRIES):
        part = _placed(counts, np.asarray(shares, dtype=float), bits)
        if part is not None:
            return part[members]
    raise NotApplicable(
        f"the {n_groups} groups cannot be divided into {parts} parts so that no part has all "
        "rows of a class; use fewer folds, or leave out classes of few groups."
    )


def distinct_groups(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(distinct groups, index of the group of each row); ValueError if groups cannot be sorted."""
    try:
        return np.unique(groups, return_inverse=True)
    except TypeError:
        kinds = " and ".join(sorted({type(group).__name__ for group in groups.tolist()}))
        raise ValueError(
            f"groups mixes {kinds}; give groups of one type, say groups.astype(str)."
        ) from None


def _placed(counts: np.ndarray, shares: np.ndarray, bits: np.random.PCG64) -> np.ndarray | None:
    """The part of each group; None if the last group of some class cannot be assigned."""
    sizes, total = counts.sum(axis=1), counts.sum(axis=0)
    order = np.lexsort((bits.random_raw(len(counts)), -np.floor(np.log2(sizes))))
    seats = bits.random_raw(len(shares))
    filled = np.zeros((len(shares), len(total)))
    waiting = (counts > 0).sum(axis=0)  # unassigned groups of each class
    part = np.empty(len(counts), dtype=np.int64)
    for group in order:
        rows = counts[group]  # of each class
        last = (rows > 0) & (waiting == 1)
        would_have_all = (filled[:, last] + rows[last] == total[last]).any(axis=1)
        if would_have_all.all():
            return None
        cost = ((2 * filled + rows) * rows / (total * shares[:, None])).sum(axis=1)
        cost[would_have_all] = np.inf
        part[group] = np.lexsort((seats, filled.sum(axis=1) / shares, cost))[0]
        filled[part[group]] += rows
        waiting -= rows > 0
    return part


# Inner folds of an estimator that is tuned or calibrated, among the rows of positive weight: given by the user, by a
# splitter of scikit-learn, or stratified.


class Split(NamedTuple):
    """Numbers of the rows of a fold: those to fit to, and those to score."""

    train: Array
    held_out: Array


def check_folds(folds: FoldsLike) -> None:
    """Raise ValueError for a bool or a text, which are folds of no rows."""
    if isinstance(folds, bool | str):
        raise ValueError(
            f"cv is {folds!r}; give a whole number, the number of the fold of each row, splits (training rows, "
            "held-out rows), or a splitter of scikit-learn."
        )


def kept_folds(folds: FoldsLike, sample_weight: PerRow, y: ArrayLike) -> Any:
    """Folds among the rows whose weight is not 0: the fold of each row, or splits; a number or a splitter as it is."""
    if isinstance(folds, Integral) or hasattr(folds, "get_n_splits"):
        return folds
    rows = len(np.asarray(y))
    if isinstance(folds, Iterable) and not isinstance(folds, str | np.ndarray):
        splits = list(folds)
        pairs = all(isinstance(split, tuple | list) and len(split) == 2 for split in splits)
        if splits and pairs and np.ndim(splits[0][0]) == 1:
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
        return _checked(folds)
    if isinstance(folds, Integral):
        folds = _stratified(int(folds), y, strata, groups, random_state, owner)
    return [Split(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in np.unique(folds)]


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
    classes, lacking = np.unique(strata), {}
    for number, (train, _) in enumerate(splits):
        missing = np.setdiff1d(classes, strata[train])
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
    for k, numbers in enumerate(held_out):
        fold[numbers] = k
    return fold


def _checked(splits: list[Split]) -> list[Split]:
    if len(splits) < 2:
        raise ValueError(f"cv has {counted(len(splits), 'split')}; give at least two.")
    for i, (train, held_out) in enumerate(splits):
        if not (len(train) and len(held_out)):
            part = "held-out" if len(train) else "training"
            raise ValueError(f"split {i} of cv has no {part} rows of positive weight; add some.")
        if both := len(np.intersect1d(train, held_out)):
            raise ValueError(
                f"split {i} of cv has {counted(both, 'row')} both among the training and the held-out rows; "
                "remove them from one."
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
    names = np.unique(y).tolist()
    return stratified_folds(strata, min(folds, limit), seed, groups, names)
