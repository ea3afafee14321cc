"""The quadratic programs of the squared loss with an L1 part, one for each score, and in which form each is solved:

over all features, if all second moments are known; over a support that grows; of few rows by the dual; else over the
support and the features that join it.
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array, diagonal
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.l1.active_set import ActiveSet, scale
from linclass.linear.solvers.l1.centred_gram import WHOLE, CentredGram
from linclass.linear.solvers.l1.dual_newton import ROWS, DualNewton
from linclass.linear.solvers.l1.gram_points import GramPoint, evaluated
from linclass.linear.solvers.l1.growing_programs import GrowingPrograms
from linclass.linear.solvers.l1.joining_features import features, too_many

ROUNDS = 5  # of the dual, after which programs take over


class Programs:
    """One program for each score; if all of G is known, each starts with the inverse of the last."""

    def __init__(self, gram: CentredGram, objective: Objective, along_path: bool = False):
        self.gram, design = gram, gram.design
        self.steepest = float(np.abs(gram.c).max(initial=0))  # slope at 0
        few = design.n_rows <= min(ROWS, design.n_features) and design.n_features > WHOLE
        self.wide = few and not gram.whole and objective.uniform and bool(objective.strength)
        # programs after which no progress means rounding
        curved = self.wide and objective.strongly_convex
        self.sure = 2 if gram.whole else 2 * ROUNDS if curved else np.inf
        if self.wide:
            self.dual = DualNewton(gram, objective)
        self.rounds = 0  # of the dual
        # a single elastic net of few rows takes less by its dual
        keeps = (along_path or not curved) and len(gram.c) == 1 and not gram.whole
        self.growing = GrowingPrograms(gram) if keeps else None
        if gram.whole:
            self.H = gram.G.copy()
            self.diagonal = diagonal(self.H)
            self.own = self.diagonal.copy()
            self.sets = [ActiveSet(self.H) for _ in gram.c]

    def solve(
        self, objective: Objective, W: Array, slopes: Array, tol: float, n_iter: int
    ) -> tuple[Array, GramPoint]:
        """Improved weights, and the objective evaluated there."""
        gram, self.rounds = self.gram, self.rounds if n_iter else 0
        if gram.whole:
            W, HW = self.minima(objective, W, tol)
            return W, evaluated(objective, gram, W, HW - objective.curvature * W)
        kinks = np.full(W.shape, objective.kink)
        slack, growing = tol * self._scale(objective), self.growing if n_iter < ROUNDS else None
        if growing and growing.join(objective, W[0], slopes[0]):
            W = growing.minimum(objective, W[0], slack)[None]
            return W, evaluated(objective, gram, W)
        dual = self.wide and self.rounds < ROUNDS
        if dual and (objective.strongly_convex or self._far(kinks, W, slopes)):
            W = self.dual.round(objective, W, slopes, self.rounds)
            self.rounds += 1
            return W, evaluated(objective, gram, W)
        W = W.copy()
        curvatures = np.full(W.shape, objective.curvature)
        own = zip(gram.c, W, slopes, kinks, curvatures, strict=True)
        for c, w, slope, kink, curvature in own:
            F = features(kink, w, slope)
            H = gram.among(F)
            diagonal(H)[...] += curvature[F]
            w[F], _ = ActiveSet(H).minimize(c[F], kink[F], w[F], slack)
        return W, evaluated(objective, gram, W)

    def minima(self, objective: Objective, W: Array, tol: float) -> tuple[Array, Array]:
        """(W, H W) at the minima of the programs over all features, H with the penalty's curvature on its diagonal."""
        V, HV, slack = np.empty_like(W), np.empty_like(W), tol * self._scale(objective)
        kinks = np.full(W.shape, objective.kink)
        np.add(self.own, objective.curvature, out=self.diagonal)
        for k, program in enumerate(self.sets):
            V[k], HV[k] = program.minimize(self.gram.c[k], kinks[k], W[k], slack)
        return V, HV

    def _far(self, kinks: Array, W: Array, slopes: Array) -> bool:
        """Whether programs would need many rounds, or have a support that depends linearly on itself."""
        n = self.gram.design.n_rows
        return any(too_many(*own, n) for own in zip(kinks, W, slopes, strict=True))

    def _scale(self, objective: Objective) -> float:
        return scale(self.steepest, float(np.min(objective.kink)))
