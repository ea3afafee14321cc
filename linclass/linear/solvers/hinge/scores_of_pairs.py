"""Scores of some pairs of a class and a row, one after another, row by row, in place of those of all classes."""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array
from linclass.base.design_matrix import Design, DesignMatrix

WIDE = 1000  # features above which a copy of some of the rows costs too much


class ScoresOfPairs(Design):
    """The pairs of a mask (K, n), but for rows that have one alone; theta is that of all classes."""

    def __init__(self, design: DesignMatrix, taking_part: Array):
        rows = np.flatnonzero(np.count_nonzero(taking_part, axis=0) > 1)
        own, self.classes = np.nonzero(taking_part[:, rows].T)
        self.rows = rows[own]  # of each pair
        self.intercept, self.is_sparse = design.intercept, design.is_sparse
        self.n_rows, self.n_features, self.width = len(own), design.n_features, design.width
        if self.width > WIDE:
            self.some, self.own = design, self.rows
        else:
            self.some, self.own = design.restricted(rows), own
        self._place = self.classes * self.some.n_rows + self.own
        self._shape = len(taking_part), self.some.n_rows
        self.passes = 0.0

    def scores(self, theta: Array) -> Array:
        return self.some.scores(theta).ravel()[self._place]

    def pull(self, R: Array) -> Array:
        full = np.zeros(self._shape)
        full.ravel()[self._place] = R
        return self.some.pull(full)

    def inner(self, g: Array, step: Array, along: Array) -> float:
        return float(np.vdot(g, step))
