"""Method of multipliers, for losses of K scores whose slopes lie in a simplex, with an L2 penalty.

Of few parameters, active sets (linear/solvers/hinge/tied_classes.py) solve the problem. Else the rounds are those of
linear/solvers/hinge/semismooth_newton.py: a row takes part only if several of its classes may have p_k > 0, and
only with these; near the end they are few, as the solution has no more of them than parameters.
Rockafellar (1976), Math. Oper. Res. 1; Li, Sun & Toh (2018), SIAM J. Optim. 28
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from linclass.base.arrays import Array
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution, Trace, few_rows
from linclass.linear.solvers.hinge import tied_classes
from linclass.linear.solvers.hinge.semismooth_newton import SemismoothNewton

MANY = 2000  # rows above which a fit to a subset pays
START = 3e-2  # its tolerance: scores of other rows differ by more


@dataclass(frozen=True)
class Multipliers(SemismoothNewton):
    """Augmented Lagrangian, for losses of K scores together with an L2 penalty.

    Parameters
    ----------
    tol : float, default=1e-6
        Tolerance: the solver stops when its certificate is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of Newton steps in all. None is 1000.
    """

    needs: ClassVar[str] = "simplicial"
    rough: ClassVar[float] = 2.0  # reach of the first round, from least squares

    def solve_centred(self, objective: Objective, start: Array, trace: Trace | None) -> Solution:
        few = few_rows(objective, start, least=MANY)
        if few is not None:
            start = replace(self, tol=START, max_iter=None).solve_centred(few, start, None).theta
        zero = objective.zero()  # a start may be far off, as if a class has no row in the subset
        if start.any() and objective.at(start).value >= objective.at(zero).value:
            start = zero
        if not tied_classes.has_few_parameters(objective):
            return self.descend(objective, start, trace, 0)
        best = tied_classes.follow_ties(objective, start, self.tol, self.max_steps, trace)
        if best.converged:
            return best
        left = self.max_steps - best.n_iter
        other = self.descend(objective, start, trace, best.n_iter) if left else best
        if other.converged:
            return other
        theta = min(other, best, key=lambda end: end.objective).theta
        point = min(objective.at(theta), objective.at(start), key=lambda end: end.value)
        ends = [(certify(point, end.slopes), end.slopes) for end in (other, best)]
        certificate, slopes = min(ends, key=lambda end: end[0])
        return Solution.at(
            point, certificate, self.tol, other.n_iter, slopes=slopes, scores=point.scores
        )
