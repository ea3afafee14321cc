"""Visits by the perceptron rule to a row of weight w, all at once: w in succession, but none after it is right.

Each visit adds a = η‖x‖² to the row's score of its own class, and with K classes takes a from that of the best rival,
so margins after many visits have closed forms. The last of w visits is the fraction left. A row of length 0 stays as it
is, and all its visits are mistakes.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import daxpy

from linclass.base.arrays import Array
from linclass.linear.solvers.online.correction import ManyClasses, TwoClasses
from linclass.linear.solvers.online.tally import Tally


def visits_of_two(margin: float, move: float, weight: float) -> float:
    """Visits of a wrong row of two classes: the least whole number after which it is right, and at most its weight."""
    if weight <= 1 or -margin >= weight * move:
        return weight
    return min(weight, -margin // move + 1)


def visits_of_many(z: Array, true: int, move: float, weight: float) -> Array:
    """Visits of a row of K scores, as changes of the scores in units of a: of its own class all, of rivals −theirs."""
    taken, others = np.zeros(len(z)), z.copy()
    others[true] = -np.inf
    own, others = z[true] - others.max(), others - others.max()  # so that small moves are not lost
    if move > 0:
        taken = np.ceil(np.maximum(others - _level(own, others, move, weight), 0) / move)
    own, left = own + taken.sum() * move, weight - taken.sum()
    others -= taken * move
    for _ in range(len(z) + 1):  # no more are left but for rounding, and in rows of length 0
        rival = int(others.argmax())
        if left <= 0 or own > others[rival]:
            break
        visit = min(left, 1.0) if move > 0 else left
        own, left = own + visit * move, left - visit
        others[rival] -= visit * move
        taken[rival] += visit
    sizes = -taken
    sizes[true] = taken.sum()
    return sizes


def _level(own: float, others: Array, move: float, weight: float) -> float:
    """A level of scores down to which rivals come before the row is right or its visits are used up, whatever their
    order; from there on each rival has at most two.

    In parts of a visit, the p best rivals come down to the row's own score at a level of (own + Σ s)/(p + 1), and to
    (Σ s − weight·a)/p in all visits; whole visits may end one a above.
    """
    sums = np.cumsum(-np.sort(-others)[:-1])
    p = np.arange(1, len(sums) + 1)
    meet, end = (own + sums) / (p + 1), (sums - weight * move) / p
    return float(max(meet.max(), end.max())) + move


class TwoClassesUntilRight(TwoClasses):
    """Two classes; `made` are the visits of the rows, of those that are corrected."""

    def correct(self, z: Array, tally: Tally) -> Array:
        self.made = self.shares.copy()
        return super().correct(z, tally)

    def _visit_again(self, i: int, margin: float, tau: float, tally: Tally) -> float:
        self.made[i] = visits_of_two(margin, tau * float(self.squares[i]), self.weights[i])
        return tau * (float(self.made[i]) - 1)


class ManyClassesUntilRight(ManyClasses):
    """K classes; the same."""

    def correct(self, z: Array, tally: Tally) -> Array:
        self.made = self.shares.copy()
        return super().correct(z, tally)

    def _visit_again(self, i: int, tally: Tally) -> None:
        true, tau = self.codes[i], self.caps[i]
        move = tau * float(self.squares[i]) / self.kesler
        sizes = visits_of_many(self.z[i], true, move, self.weights[i] - 1)
        self.made[i] += sizes[true]
        self.coefficients[i] += tau * sizes
        n, K = self.z.shape
        for k in np.flatnonzero(sizes).tolist():
            daxpy(self.gram, self.z.reshape(-1), n, tau * float(sizes[k]), i * n, 1, k, K)
