"""Squared loss with a kinked penalty (lasso, elastic net) as the quadratic program that it is:

    min_w  ½ wᵀG w − c·w + strength·penalty(w),   G, c centred second moments (`centred_gram`),

solved by its supports (`active_set`). G is of all features at once where that is cheap, and a fit is
then proved by it alone; else of the support and of the features that join because their slope
exceeds the kink most. Strengths of a path share it.
Osborne, Presnell & Turlach (2000), IMA J. Numerical Analysis 20
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.numerics import Array
from linclass.objective import Objective
from linclass.optimization import active_set
from linclass.optimization.centred_gram import CentredGram, gram_of, look
from linclass.solvers.base import Solution, Solver, Trace
from linclass.solvers.homotopy import Homotopy

JOIN = 0.5  # of the largest violation: features above it join together
DENSE = 0.1  # strengths per feature from which on a lasso's path is walked from kink to kink
MANY = 50  # at most, or as many as are in the support


@dataclass(frozen=True)
class QuadraticProgram(Solver):
    needs: ClassVar[str] = "quadratic"
    takes: ClassVar[str] = "any"
    limit: ClassVar[int] = 1000

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        return self._solve(objective, start, gram_of(objective), trace)

    def path(
        self, objective: Objective, strengths: Iterable[float], start: Array
    ) -> list[Solution]:
        gram, solutions, strengths = gram_of(objective), [], list(strengths)
        dense = len(strengths) > DENSE * objective.design.n_features
        if gram.complete and dense and objective.kink and not objective.curvature:
            return Homotopy(self.tol, self.max_iter).along(gram, objective, strengths)
        for strength in strengths:
            solutions.append(self._solve(objective.with_strength(strength), start, gram))
            start = solutions[-1].theta
        return solutions

    def _solve(
        self, objective: Objective, start: Array, gram: CentredGram, trace: Trace | None = None
    ) -> Solution:
        W = np.atleast_2d(objective.weight_part(start)).copy()
        seen = look(objective, gram, W)
        n_iter = 0
        while (seen.certificate > self.tol) and n_iter < self.n_steps:
            for k, w in enumerate(W):
                F = gram.known if gram.complete else features(objective, w, seen.slopes[k])
                w[F] = program(objective, gram.among(F), gram.c[k, F], w[F])
            before, seen = seen, look(objective, gram, W)
            n_iter += 1
            if trace:
                trace(objective.at(gram.theta(W).reshape(objective.shape)))
            if gram.complete and n_iter > 1 and seen.certificate >= before.certificate:
                break  # rounding has the last word
        theta = gram.theta(W).reshape(objective.shape)
        done = seen.certificate <= self.tol
        kind = objective.certificate_kind
        return Solution(theta, seen.value, seen.certificate, kind, done, n_iter)


def program(objective: Objective, G: Array, c: Array, w: Array) -> Array:
    G[np.diag_indices(len(G))] += objective.curvature
    return active_set.minimize(G, c, np.full(len(w), objective.kink), w)


def features(objective: Objective, w: Array, slopes: Array) -> Array:
    """The support, and those whose slope exceeds the kink most."""
    beyond = np.where(w != 0, 0, np.abs(slopes) - objective.kink)
    worst = beyond.max(initial=0)
    joining = np.flatnonzero(beyond > JOIN * worst) if worst > 0 else np.empty(0, int)
    inside = np.flatnonzero(w)
    most = max(MANY, len(inside))
    joining = joining[np.argsort(-beyond[joining])[:most]]
    return np.sort(np.append(inside, joining))
