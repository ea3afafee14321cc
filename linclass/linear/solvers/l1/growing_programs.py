"""Quadratic programs of one score, in the rounds of a fit or along a path, over all features that joined so far.

From round to round and from strength to strength the support changes by few features. G of those that joined, and the
inverse for the support, are therefore kept: a feature joins by one column of G and an update of low rank. Matrices have
room for more features; there H is 0, so their weights stay 0.
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array, diagonal
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.l1.active_set import ActiveSet
from linclass.linear.solvers.l1.centred_gram import CentredGram, with_room
from linclass.linear.solvers.l1.joining_features import features, too_many

LARGEST = 2000  # features of a program, whose inverse is dense


class GrowingPrograms:
    """Each starts with the inverse of the last."""

    def __init__(self, gram: CentredGram):
        self.gram, self.size = gram, 0  # features of the programs: those known to G
        self.H = np.zeros((0, 0))  # G, with the penalty's curvature on its diagonal
        self.program = ActiveSet(self.H)

    def join(self, objective: Objective, w: Array, slopes: Array) -> bool:
        """Let the support and all features whose slope exceeds the kink join. False if these are too many: an elastic
        net of half as many features as rows takes less by its dual.
        """
        gram, rows = self.gram, self.gram.design.n_rows
        kink = np.full(w.shape, objective.kink)
        joined = np.zeros(w.shape, bool)
        joined[gram.known] = True
        joined[features(kink, w, slopes, above=0.0)] = True
        most = min(rows // 2 if objective.strongly_convex else rows, LARGEST)
        if too_many(kink, w, slopes, rows) or joined.sum() > most:
            return False
        gram.learn(np.flatnonzero(joined))
        return True

    def minimum(self, objective: Objective, w: Array, slack: float) -> Array:
        """The weights at the minimum of the program."""
        self._grow()
        gram, F, m = self.gram, self.gram.known, self.size
        curvature = np.full(w.shape, objective.curvature)[F]
        diagonal(self.H)[:m] = gram.variances + curvature
        c, kink, v = np.zeros(len(self.H)), np.ones(len(self.H)), np.zeros(len(self.H))
        c[:m], kink[:m], v[:m] = gram.c[0, F], np.full(w.shape, objective.kink)[F], w[F]
        minimum = np.zeros(w.shape)
        minimum[F] = self.program.minimize(c, kink, v, slack)[0][:m]
        return minimum

    def _grow(self) -> None:
        k, m = self.size, len(self.gram.known)
        if m > len(self.H):
            self.H, k = np.zeros((with_room(m), with_room(m))), 0
            self.program.grow(self.H)
        self.H[k:m, :m], self.H[:k, k:m] = self.gram.G[k:], self.gram.G[:k, k:]
        self.size = m
