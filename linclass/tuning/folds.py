"""Folds and seeds: functions of the data and of names, not of order, time or number of cores.

Stratified k-fold: the rows of each class are shuffled, the classes are concatenated, and the rows are assigned to the
folds 1, 2, …, k, 1, 2, … in turn. Every fold gets ⌊n_c/k⌋ or ⌈n_c/k⌉ of the n_c rows of a class, and likewise of all
rows: class counts *and* fold sizes differ by at most one.

If rows belong to groups, whole groups are assigned (linclass/tuning/folds.py), and classes are balanced
as far as the groups permit.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from linclass.base.messages import NotApplicable


def seed_of(*names: object) -> int:
    """A seed in [0, 2³²) from names, such as (dataset, protocol, repeat, fold)."""
    text = "\x1f".join(map(str, names))  # the unit separator: 'a', 'b' is not 'ab'
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big")


def stratified_folds(
    y: np.ndarray,
    folds: int,
    seed: int,
    groups: np.ndarray | None = None,
    names: Sequence[str] | None = None,
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
    names: Sequence[str] | None = None,
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


def _named(code: int, names: Sequence[str] | None) -> str:
    return str(code) if names is None else f"'{names[code]}'"


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
    names: Sequence[str] | None = None,
) -> np.ndarray:
    """The part, 0 … len(shares) − 1, of each row; error messages use the `names` of the classes."""
    classes, codes = np.unique(y, return_inverse=True)
    kinds, members = distinct_groups(groups)
    counts = np.zeros((len(kinds), len(classes)), dtype=np.int64)
    np.add.at(counts, (members, codes), 1)
    _refuse_too_few(
        counts, len(shares), [f"'{names[k]}'" for k in classes] if names else classes.tolist()
    )
    bits = np.random.PCG64(seed)  # its raw stream does not depend on NumPy's version
    for _ in range(TRIES):
        part = _placed(counts, np.asarray(shares, dtype=float), bits)
        if part is not None:
            return part[members]
    raise NotApplicable(
        f"the {len(kinds)} groups cannot be divided into {len(shares)} parts so that no part has all "
        "rows of a class; use fewer folds, or leave out classes of few groups."
    )


def distinct_groups(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the groups, the number of that of each row); ValueError if they cannot be told apart."""
    try:
        return np.unique(groups, return_inverse=True)
    except TypeError:
        kinds = " and ".join(sorted({type(group).__name__ for group in groups.tolist()}))
        raise ValueError(
            f"groups mixes {kinds}; give groups of one type, say groups.astype(str)."
        ) from None


def _refuse_too_few(counts: np.ndarray, parts: int, names: Sequence[object]) -> None:
    n_groups = len(counts)
    if n_groups < parts:
        fewer = f"use at most {n_groups} folds, or " if n_groups > 1 else ""
        raise NotApplicable(
            f"{parts} folds of whole groups need {parts} groups, and there "
            f"{'is' if n_groups == 1 else 'are'} {n_groups}; {fewer}choose other groups."
        )
    of_class = (counts > 0).sum(axis=0)
    if of_class.min() < 2:
        raise NotApplicable(
            f"all rows of class {names[int(of_class.argmin())]} are in one group, so no model of the "
            "other groups can learn it; leave the class out, or choose other groups."
        )


def _placed(counts: np.ndarray, shares: np.ndarray, bits: np.random.PCG64) -> np.ndarray | None:
    """The part of each group; None if the last group of some class cannot be assigned."""
    sizes, total = counts.sum(axis=1), counts.sum(axis=0)
    order = np.lexsort((bits.random_raw(len(counts)), -np.floor(np.log2(sizes))))
    seats = bits.random_raw(len(shares))
    filled = np.zeros((len(shares), len(total)))
    waiting = (counts > 0).sum(axis=0)  # unassigned groups of each class
    part = np.empty(len(counts), dtype=np.int64)
    for group in order:
        own = counts[group]
        last = (own > 0) & (waiting == 1)
        would_have_all = (filled[:, last] + own[last] == total[last]).any(axis=1)
        if would_have_all.all():
            return None
        cost = ((2 * filled + own) * own / (total * shares[:, None])).sum(axis=1)
        cost[would_have_all] = np.inf
        part[group] = np.lexsort((seats, filled.sum(axis=1) / shares, cost))[0]
        filled[part[group]] += own
        waiting -= own > 0
    return part
