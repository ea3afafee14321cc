"""What comes before the steps of a solver of a loss with kinks, and after them:

    divide columns by the roots of their factors in the penalty; centre the rows; merge equal rows and try block
    pivoting, if K = XXᵀ is small; else start from a fit to few of the rows, take the solver's own steps, and compare
    their end with the intercept alone.

Each reduces the problem to a smaller or better conditioned one with the same minimum. Often nothing is left to do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array, diagonal
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import equal_factors
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers import block_pivoting
from linclass.linear.solvers.base import (
    CentringSolver,
    Solution,
    Trace,
    in_other_coordinates,
)
from linclass.linear.solvers.intercept_alone import by_bisection

# A start for losses with kinks:  argmin (1/Σw) Σ w_i ½‖z_i − t_i‖²/scale + strength·½‖W‖².
#
# The targets t are y, or 2(e_y − 1/K) for K scores. Where the strength is so large that all scores are near 0, the
# slopes −t are about those of the loss; where it is small, most scores end near a kink. One system of equations
# replaces the first steps from 0, which are short.

MAX_START_WIDTH = 1000  # features up to which a dense matrix of them is formed


def least_squares_start(objective: Objective) -> Array | None:
    """None for a kernel or many features, or if the equations are singular but for rounding."""
    design, d = objective.design, objective.design.n_features
    if design.is_kernel or design.width > MAX_START_WIDTH:
        return None
    targets = y = objective.y
    if len(objective.shape) > 1:
        K = objective.shape[0]
        targets = np.full((K, len(y)), -2 / K)
        targets[y, np.arange(len(y))] += 2
    level = objective.weights / objective.loss.scale(objective.y)
    H = design.gram(level)
    diagonal(H)[:d] += objective.strength
    _, theta, info = lapack.dposv(H, design.pull(level * targets).T, lower=1)
    return None if info else np.ascontiguousarray(theta.T)


@dataclass(frozen=True)
class SolverAfterReductions(CentringSolver):
    """Base of such solvers, which define `descend`."""

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if (unit := equal_factors(objective)) is not None:
            return in_other_coordinates(unit, self.solve, objective, start, trace)
        return super().solve(objective, start, trace)

    def centres_first(self, objective: Objective) -> bool:
        return True

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if not block_pivoting.suits(objective):
            return self.solve_by_steps(objective, start, trace)
        if objective.merged is None:
            return self.solve_by_pivoting(objective, start, trace)
        fewer, place = objective.merged
        fewer = fewer.with_strength(objective.strength)
        solution = self.solve_by_pivoting(fewer, start, trace)
        if solution.slopes is not None:
            solution.slopes = solution.slopes[place]
        if solution.scores is not None:
            solution.scores = solution.scores[place]
        return solution

    def solve_by_pivoting(
        self, objective: Objective, start: Array, trace: Trace | None
    ) -> Solution:
        """By block pivoting; if its guesses cycle, by steps from the best of them."""
        best = block_pivoting.pivot(objective, start, self.tol, self.max_steps, trace)
        point, slopes, certificate, n_iter = best
        if certificate > self.tol and n_iter < self.max_steps:
            return self.solve_by_steps(objective, point.theta, trace, n_iter)
        return Solution.at(point, certificate, self.tol, n_iter, slopes=slopes, scores=point.scores)

    def solve_by_steps(
        self, objective: Objective, start: Array, trace: Trace | None, n_iter: int = 0
    ) -> Solution:
        """By the solver's own steps; the intercept alone, if they end above its objective."""
        solution = self.descend(objective, self.near(objective, start), trace, n_iter)
        if solution.certificate <= self.tol:
            return solution
        alone = by_bisection(objective)
        if alone.value >= solution.objective:
            return solution
        certificate = certify(alone)
        return Solution.at(
            alone, certificate, self.tol, solution.n_iter, slopes=alone.slopes, scores=alone.scores
        )

    def descend(
        self, objective: Objective, start: Array, trace: Trace | None, n_iter: int
    ) -> Solution:
        """The solver's own steps from a start, after n_iter steps of block pivoting."""
        raise NotImplementedError
