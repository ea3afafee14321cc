"""Folds and seeds: functions of the data and of names, not of order, time or number of cores.

Stratified k-fold: the rows of each class are shuffled, the classes are concatenated, and the rows are assigned to the
folds 1, 2, …, k, 1, 2, … in turn. Every fold gets ⌊n_c/k⌋ or ⌈n_c/k⌉ of the n_c rows of a class, and likewise of all
rows: class counts *and* fold sizes differ by at most one.

If rows belong to groups, whole groups are assigned (linclass/tuning/grouped_folds.py), and classes are balanced
as far as the groups permit.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from linclass.base.messages import NotApplicable
from linclass.tuning.grouped_folds import distinct_groups, grouped_parts


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
