"""Folds and seeds, both functions of names and data alone: never of order, time or cores.

Stratified k-fold: shuffle the rows of each class, lay the classes end to end, deal the rows like
cards, 1, 2, …, k, 1, 2, …  A run of n_c rows dealt in turn gives every fold ⌊n_c/k⌋ or ⌈n_c/k⌉ of
them, and so does the whole: class counts *and* fold sizes differ by at most one.
"""

from hashlib import blake2b

import numpy as np

from linclass.applicability import NotApplicable


def seed_of(*names: object) -> int:
    """A seed in [0, 2³²) from names, such as (dataset, method, protocol, repeat, fold)."""
    text = "\x1f".join(map(str, names))  # the unit separator: 'a', 'b' is not 'ab'
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big")


def stratified_folds(y: np.ndarray, folds: int, seed: int) -> np.ndarray:
    """The fold, 0 … folds − 1, in which each row is held out."""
    if folds < 2:
        raise ValueError(f"folds is {folds}; cross-validation needs at least 2.")
    classes, counts = np.unique(y, return_counts=True)
    if folds > counts.min():
        least = counts.min()
        remedy = f"Use at most {least} folds." if least > 1 else "Leave it out, or add rows to it."
        raise NotApplicable(
            f"{folds} folds need {folds} rows of every class; class {classes[counts.argmin()]} has "
            f"{least}. {remedy}"
        )
    bits = np.random.PCG64(seed)  # its raw stream is the same in every version of NumPy
    dealt = np.lexsort((bits.random_raw(len(y)), y))  # class by class, shuffled within
    seats = np.argsort(bits.random_raw(folds))  # so that no fold is always the larger one
    fold = np.empty(len(y), dtype=np.int64)
    fold[dealt] = seats[np.arange(len(y)) % folds]
    return fold
