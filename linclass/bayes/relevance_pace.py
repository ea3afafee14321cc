"""Which part of a change of the prior variances 1/α_j is made, while the mode of the posterior follows them.

A curvature of nearly 0 promises gains that the mode does not keep, so that a column would enter and leave for ever. Of
a column that often left a change that turns back without getting smaller is halved: between no variance and one that is
too large there is one that is best at its own mode. Of gains that are small a change that goes on and on is lengthened,
where the same columns stay.
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array

CALM = 0.5  # of the last change, above which one that turns back has not got smaller
GROWTH = 1.5  # of the part that is made of a change
FARTHEST = 4.0  # such part
LEAVES = 3  # times that are often


class Pace:
    """The parts of all columns, by their changes so far."""

    def __init__(self, n_columns: int):
        self.share, self.last = np.ones(n_columns), np.zeros(n_columns)
        self.left = np.zeros(n_columns, int)

    def towards(self, old: Array, new: Array, late: bool) -> Array:
        self.left += (old > 0) & (new == 0)
        change, share = new - old, self.share
        back, large = change * self.last < 0, np.abs(change) > CALM * np.abs(self.last)
        goes_on = late & large & (self.last != 0) & np.array_equal(old > 0, new > 0)
        ahead = np.minimum(GROWTH * share, np.where(goes_on & ~back, FARTHEST, 1.0))
        turns = back & large & (self.left >= LEAVES)
        self.share, self.last = np.where(turns, np.minimum(share, 1) / 2, ahead), change
        return np.where(self.share == 1, new, np.maximum(old + self.share * change, new / FARTHEST))
