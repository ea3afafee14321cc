"""What solvers of losses with kinks share: centred rows, block pivoting over distinct rows where K = XXᵀ is
small, a start from a fit to few of many rows, and a final comparison with the intercept alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from linclass.numerics import Array
from linclass.objective.centred_rows import centred
from linclass.objective.equal_rows import merged
from linclass.objective.objective import Objective
from linclass.solvers.base import Solution, Solver, Trace
from linclass.solvers.hinge import block_pivoting as pivoting
from linclass.solvers.intercept_alone import by_bisection


@dataclass(frozen=True)
class ByRowsFirst(Solver):
    """Base of such solvers; a subclass continues in `_descend` from a start, after n_iter steps."""

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        near = centred(objective)
        if near is None:
            return self._solve(objective, start, trace)
        solution = self._solve(near.objective, near.start(start), trace)
        solution.theta = near.end(solution.theta)
        return solution

    def _solve(self, objective: Objective, start: Array, trace: Trace | None) -> Solution:
        n_iter = 0
        if pivoting.suits(objective):
            if (distinct := merged(objective)) is not None:
                solution = self._solve(distinct.objective, start, trace)
                if solution.slopes is not None:
                    solution.slopes = solution.slopes[distinct.place]
                if solution.scores is not None:
                    solution.scores = solution.scores[distinct.place]
                return solution
            found = pivoting.pivot(objective, start, self.tol, self.n_steps, trace)
            point, slopes, certificate, n_iter = found
            if certificate <= self.tol or n_iter >= self.n_steps:
                return Solution.at(
                    point, certificate, self.tol, n_iter, slopes=slopes, scores=point.scores
                )
            start = point.theta
        solution = self._descend(objective, self.near(objective, start), trace, n_iter)
        if solution.certificate <= self.tol:
            return solution
        alone = by_bisection(objective)
        if alone.value >= solution.objective:
            return solution
        certificate = objective.certificate(alone)
        return Solution.at(
            alone, certificate, self.tol, solution.n_iter, slopes=alone.slopes, scores=alone.scores
        )

    def _descend(
        self, objective: Objective, start: Array, trace: Trace | None, n_iter: int
    ) -> Solution:
        raise NotImplementedError
