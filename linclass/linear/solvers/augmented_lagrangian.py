"""Augmented Lagrangian, for a piecewise linear loss and a penalty with a kink, both of which Newton's method lacks:

    round:   θ ← argmin (1/Σw) Σ w_i ψ_i(z_i) + strength·penalty(W),   s⁰ ← ψ′(z),   reach ← 3·reach

with the envelopes ψ_i of the loss around slopes s⁰ (`Envelope`), which are smooth: proximal
Newton minimizes a round, from the weights of the last. The first is around slopes near 0, since around others the
envelopes of separable rows fall far below 0. The stopping test is the duality gap of the slopes. The doubly regularized
support vector machine is the hinge with an elastic net. Of K scores, slopes lie in a simplex (Crammer and Singer).
Rockafellar (1976), Math. Oper. Res. 1; Wang, Zhu & Zou (2006), Statistica Sinica 16
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from linclass.base.arrays import Array
from linclass.base.documentation import documented
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import Solution, Solver, Trace
from linclass.linear.solvers.intercept_alone import by_bisection
from linclass.linear.solvers.proximal_newton import ProximalNewton

GROWTH = 3.0  # of the reach, from round to round
EASY_STEPS = 20  # of a round, above which the next has the same reach
PATIENCE = 5  # rounds without a better certificate: limited by rounding
MAX_ROUNDS = 30
ROUNDED_CERTIFICATE = 1e-9  # from which rounding errors, not the reach, may be what is left


class Rounds(NamedTuple):
    """The best point of some rounds, its slopes and their certificate, and the number of steps of all rounds."""

    point: Point
    slopes: Array
    certificate: float
    n_iter: int


def method_of_multipliers(
    one_round: Callable[[Point, Array, float, float, int], tuple[Point, Array, int]],
    judge: Callable[[Point, Array], float],
    point: Point,
    slopes: Array,
    reach: float,
    tol: float,
    max_steps: int,
    n_iter: int = 0,
    growth: float = GROWTH,
    trace: Callable[[Point], None] | None = None,
) -> Rounds:
    """Rounds  (θ, s) ← one_round(θ, s, reach, certificate, steps left)  until the certificate is at most `tol`.

    A round minimizes the envelopes around the slopes s, and gives the slopes of the envelopes at its minimum, and the
    number of its steps. After it the reach grows, unless the round was hard; a smaller reach has less of the rounding
    errors that limit the last digits.   Rockafellar (1976), Math. Oper. Res. 1
    """
    worse, best = 0, Rounds(point, slopes, np.inf, n_iter)
    for _ in range(MAX_ROUNDS):
        if n_iter >= max_steps or best.certificate <= tol or worse >= PATIENCE:
            break
        point, slopes, steps = one_round(point, slopes, reach, best.certificate, max_steps - n_iter)
        n_iter += steps
        if trace:
            trace(point)
        certificate = judge(point, slopes)
        worse = 0 if certificate < best.certificate else worse + 1
        if not worse:
            best = Rounds(point, slopes, certificate, n_iter)
        if worse and best.certificate <= ROUNDED_CERTIFICATE:
            reach /= growth
        elif steps <= EASY_STEPS:
            reach *= growth
    return best._replace(n_iter=n_iter)


# reach of the first round, from zero, also with fewer rows than features, and from a start, in units of the loss
REACH_FROM_ZERO, REACH_OF_WIDE_ROWS, REACH_FROM_START = 0.5, 0.25, 5.0
ROUND_SHARE = 0.1  # of the certificate, to which a round is solved


@documented
@dataclass(frozen=True)
class AugmentedLagrangian(Solver):
    """Augmented Lagrangian, for a piecewise linear loss and a penalty that is a sum over all features.

    Parameters
    ----------
    max_iter : int or None, default=None
        Limit on the number of Newton steps. None is 2000.
    """

    needs: ClassVar[str] = "piecewise-linear or simplicial"
    takes: ClassVar[str] = "every feature"
    limit: ClassVar[int] = 2000

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        loss, y = objective.loss, objective.y
        if len(objective.shape) == 1:
            alone = by_bisection(objective)
            if (certificate := certify(alone)) <= self.tol:
                if trace:
                    trace(alone)
                return Solution.at(alone, certificate, self.tol, 0, slopes=alone.slopes)
        wide = objective.design.n_rows < objective.design.n_features
        reach = (
            REACH_FROM_START if np.any(start) else REACH_OF_WIDE_ROWS if wide else REACH_FROM_ZERO
        ) / loss.scale(y)
        point = objective.at(start)
        slopes = loss.nearest_slopes(y, reach * point.scores, reach)[0]

        def one_round(
            point: Point, slopes: Array, reach: float, certificate: float, left: int
        ) -> tuple[Point, Array, int]:
            smooth = objective.envelope(slopes, reach)
            enough = ROUND_SHARE * max(self.tol, min(certificate, ROUND_SHARE))
            found = ProximalNewton(enough, left).solve(smooth, point.theta)
            point = objective.at(found.theta)
            slopes = smooth.loss.slopes(smooth.y, point.scores)
            return point, slopes, max(1, found.n_iter)

        point, slopes, certificate, n_iter = method_of_multipliers(
            one_round, certify, point, slopes, reach, self.tol, self.max_steps, trace=trace
        )
        return Solution.at(point, certificate, self.tol, n_iter, slopes=slopes, scores=point.scores)
