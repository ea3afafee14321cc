"""What comes before the steps of a solver of a loss with kinks, and after them:

    divide columns by the roots of their factors in the penalty; centre the rows; try block pivoting, if K = XXᵀ is
    small; else start from a fit to few of the rows, take the solver's own steps, and compare
    their end with the intercept alone.

Each reduces the problem to a smaller or better conditioned one with the same minimum. Often nothing is left to do.
"""

from __future__ import annotations

from dataclasses import dataclass

from linclass.base.arrays import Array
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import centred, equal_factors
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution, Solver, Trace, in_other_coordinates
from linclass.linear.solvers.hinge import block_pivoting
from linclass.linear.solvers.intercept_alone import by_bisection


@dataclass(frozen=True)
class SolverAfterReductions(Solver):
    """Base of such solvers, which define `descend`."""

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if (unit := equal_factors(objective)) is not None:
            return in_other_coordinates(unit, self.solve, objective, start, trace)
        if (near := centred(objective)) is not None:
            return in_other_coordinates(near, self.solve_centred, objective, start, trace)
        return self.solve_centred(objective, start, trace)

    def solve_centred(self, objective: Objective, start: Array, trace: Trace | None) -> Solution:
        if not block_pivoting.suits(objective):
            return self.solve_by_steps(objective, start, trace)
        return self.solve_by_pivoting(objective, start, trace)

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
