"""Method of multipliers, for losses of K scores whose slopes lie in a simplex, with an L2 penalty.

    round:   θ ← argmin (1/Σw) Σ w_i ψ_i(z_i) + strength·½‖W‖²,   s⁰ ← ψ′(z),   reach ← 3·reach if needed

with the envelopes ψ_i of the loss around slopes s⁰: smooth, so Newton's method minimizes them. A duality
gap of the loss itself, for the slopes, says when to stop; the slopes converge also for small reaches.
Rockafellar (1976), Math. Oper. Res. 1; Li, Sun & Toh (2018), SIAM J. Optim. 28
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.line_search import backtrack
from linclass.numerics import Array
from linclass.objective.equal_factors import equal_factors
from linclass.objective.objective import Objective
from linclass.objective.point import Point
from linclass.solvers.base import Solution, Solver, Trace
from linclass.solvers.hinge.reductions import in_other_coordinates
from linclass.solvers.smooth.newton import inverse_hessian
from linclass.solvers.smooth.newton_cg import NewtonCg

FIRST, GROWTH = 2.0, 3.0  # reach of the first round, and how it grows
DENSE = 300  # parameters whose Hessian is formed
EXACT = 0.1  # gap of a round, of the last one of the loss
CLOSE = 20  # times that gap is the decrement below which it is worked out
ROUND = 30  # Newton steps of a round at most
FAST = 0.1  # of the last gap: then this reach does
EASY = 12  # Newton steps of a round: after more, a larger reach would make the next one too hard
PATIENCE = 8  # rounds without a smaller gap: rounding is reached


@dataclass(frozen=True)
class Multipliers(Solver):
    """Newton's method on smooth envelopes of the loss, one after another.

    Parameters
    ----------
    tol : float, default=1e-6
        Tolerance: the solver stops when its certificate is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of Newton steps in all. None is 1000.
    """

    needs: ClassVar[str] = "simplicial"
    takes: ClassVar[str] = "l2"
    limit: ClassVar[int] = 1000

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if (reduction := equal_factors(objective)) is not None:
            return in_other_coordinates(reduction, self.solve, objective, start, trace)
        P, loss = objective, objective.loss
        point, reach, n_iter, waited = P.at(start), FIRST, 0, 0
        slopes = point.slopes if np.any(start) else loss.middle(P.y)
        best = point, slopes, P.certificate(point, slopes)
        last = 1.0
        while best[2] > self.tol and n_iter < self.max_steps and waited < PATIENCE:
            smooth = Objective(
                P.design,
                loss.envelope(P.y, slopes, reach),
                np.arange(P.design.n_rows),
                P.weights,
                P.chosen_penalty,
                P.strength,
            )
            near = max(EXACT * min(last, 1.0), 1e-3 * self.tol)
            most = min(ROUND, self.max_steps - n_iter)
            if P.n_parameters <= DENSE:
                inner, steps = newton_steps(smooth.at(point.theta), near, most)
            else:
                found = NewtonCg(tol=near, max_iter=most).solve(smooth, point.theta)
                inner, steps = smooth.at(found.theta), found.n_iter
            point, slopes, n_iter = P.at(inner.theta), inner.slopes, n_iter + steps
            if trace:
                trace(point)
            certificate = P.certificate(point, slopes)
            waited += 1
            if certificate < best[2]:
                best, waited = (point, slopes, certificate), 0
            if certificate > FAST * last and steps <= EASY:
                reach *= GROWTH
            last = certificate
        point, slopes, certificate = best
        return Solution.at(point, certificate, self.tol, n_iter, slopes=slopes)


def newton_steps(point: Point, near: float, most: int) -> tuple[Point, int]:
    """Newton steps until the certificate is at most `near`, and their number.

    Every Hessian is new: it jumps whenever a row gets to a kink of ψ′, so a kept one would soon be wrong.
    """
    smooth = point.objective
    for n_iter in range(1, most + 1):  # noqa: B007
        point = smooth.at_with_hessian(point.theta)
        g = point.gradient
        step = -inverse_hessian(point).times(g.ravel()).reshape(g.shape)
        slope = float(np.vdot(g, step))
        point, _ = backtrack(point, point.toward(step), slope)
        if -slope <= CLOSE * near * abs(point.value) and smooth.certificate(point) <= near:
            break
    return point, n_iter
