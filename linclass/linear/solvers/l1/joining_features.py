"""The features of a program: those of the support, those without a kink, and those that join because the slope of the
loss exceeds their kink.
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array

JOIN = 0.3  # of the largest violation: features above it join at once
FEW = 20  # features up to which all that exceed the kink join
MANY = 50  # features join at most, or as many as are in the support


def of_program(kink: Array, w: Array, slopes: Array, above: float = JOIN) -> tuple[Array, Array]:
    """(the support and all features without a kink, those whose slope exceeds it; if they are many, those above this
    share of the largest violation).
    """
    support = (w != 0) | (kink == 0)
    beyond = np.where(support, 0, np.abs(slopes) - kink)
    new = np.flatnonzero(beyond > 0)
    if len(new) > FEW:
        new = np.flatnonzero(beyond > above * beyond.max())
    return np.flatnonzero(support), new[np.argsort(-beyond[new])]


def features(kink: Array, w: Array, slopes: Array, above: float = JOIN) -> Array:
    """Those of a program: the support, and as many others as it has, or a few."""
    inside, new = of_program(kink, w, slopes, above)
    return np.sort(np.append(inside, new[: max(MANY, len(inside))]))


def too_many(kink: Array, w: Array, slopes: Array, rows: int) -> bool:
    """Whether more features would join than `features` admits, or the support is larger than the rows determine."""
    inside, new = of_program(kink, w, slopes)
    return len(new) > max(MANY, len(inside)) or len(inside) > rows
