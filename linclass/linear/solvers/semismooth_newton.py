"""Semismooth Newton on the augmented Lagrangian, for piecewise linear losses with an L2 penalty.

    round:   θ ← argmin (1/Σw) Σ w_i ψ_i(z_i) + strength·½‖W‖²,   s⁰ ← ψ′(z),   reach ← 3·reach

with Moreau envelopes ψ_i around slopes s⁰ (augmented.py). Newton's method minimizes it over
the rows whose slope may change, which are few near the end; if other slopes would change, their rows are added
and the round continues. The stopping test is the duality gap of the slopes. If K = XXᵀ is small, block pivoting
(linclass/linear/solvers/block_pivoting.py) comes first, and usually solves the problem.
Li, Sun & Toh (2018), SIAM J. Optim. 28; Rockafellar (1976), Math. Oper. Res. 1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array
from linclass.base.documentation import documented
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.augmented import (
    GROWTH,
    Augmented,
    augmented,
    method_of_multipliers,
    slopes_at,
)
from linclass.linear.solvers.base import Solution, Trace
from linclass.linear.solvers.finite_newton import minimize
from linclass.linear.solvers.newton_system import MAX_HESSIAN_WIDTH, newton_system
from linclass.linear.solvers.reductions import SolverAfterReductions, least_squares_start

# reach of the first round from zero, least squares and a start
REACH_FROM_ZERO, REACH_FROM_LEAST_SQUARES, REACH_FROM_START = 2.0, 0.5, 5.0
NEARER_RATIO = 0.9  # of certificates
BAND = 4.0  # rows take part whose slope would change if slope + reach·score were off by this
ALL_ROWS_UP_TO = 500  # rows up to which all take part, as they do if copies cost memory
MISSED_SHARE = 0.02  # share of other rows that may move before a round continues with them


@documented
@dataclass(frozen=True)
class SemismoothNewton(SolverAfterReductions):
    """Augmented Lagrangian, for piecewise linear losses with an L2 penalty.

    Parameters
    ----------
    max_iter : int or None, default=None
        Limit on the number of Newton steps. None is 1000.
    """

    needs: ClassVar[str] = "piecewise-linear"
    takes: ClassVar[str] = "l2"
    limit: ClassVar[int] = 1000  # Newton steps in all
    rough: ClassVar[float] = REACH_FROM_LEAST_SQUARES

    def descend(
        self, objective: Objective, start: Array, trace: Trace | None, n_iter: int
    ) -> Solution:
        loss, y = objective.loss, objective.y
        known = bool(np.any(start))
        rough = None if known else least_squares_start(objective)
        reach = (
            REACH_FROM_START if known else REACH_FROM_ZERO if rough is None else self.rough
        ) / loss.scale(y)
        point = objective.at(start if rough is None else rough)
        slopes = slopes_at(objective, loss.middle(y), point.scores, reach)
        if known:
            reach, slopes = reach_of_start(objective, point, slopes, reach)

        def in_band(
            point: Point, slopes: Array, reach: float, certificate: float, left: int
        ) -> tuple[Point, Array, int]:
            first = not known and certificate == np.inf
            return one_round(point, slopes, reach, np.inf if first else BAND, left)

        point, slopes, certificate, n_iter = method_of_multipliers(
            in_band, certify, point, slopes, reach, self.tol, self.max_steps, n_iter, trace=trace
        )
        return Solution.at(point, certificate, self.tol, n_iter, slopes=slopes, scores=point.scores)


def reach_of_start(
    objective: Objective, point: Point, slopes: Array, reach: float
) -> tuple[float, Array]:
    """(reach, slopes) of a start; a larger reach, if its slopes certify the start to be nearer."""
    larger = GROWTH * reach
    other = slopes_at(objective, objective.loss.middle(objective.y), point.scores, larger)
    nearer = certify(point, other) <= NEARER_RATIO * certify(point, slopes)
    return (larger, other) if nearer else (reach, slopes)


def one_round(
    point: Point, slopes: Array, reach: float, band: float, max_iter: int
) -> tuple[Point, Array, int]:
    """Minimize the envelopes around the slopes; returns the point, its slopes and the number of steps."""
    objective = point.objective
    assert isinstance(objective, Objective)
    one = len(objective.shape) == 1
    if objective.design.n_rows <= ALL_ROWS_UP_TO or (
        one and objective.design.width > MAX_HESSIAN_WIDTH
    ):
        band = np.inf
    taking_part = objective.loss.may_move(objective.y, slopes, point.scores, reach, band)
    if not (taking_part if one else np.count_nonzero(taking_part, axis=0) > 1).any():
        taking_part[:] = True
    n_iter = 0
    while True:
        smooth = augmented(objective, slopes, reach, taking_part)
        inner = smooth.start(point.theta)
        inner, steps = minimize(inner, newton_system(smooth), near(smooth), max_iter - n_iter)
        n_iter += steps
        point = objective.at(smooth.end(inner.theta))
        new = slopes_at(objective, slopes, point.scores, reach)
        missed = (new != slopes) & ~taking_part
        few = np.count_nonzero(missed) <= MISSED_SHARE * np.count_nonzero(taking_part)
        if n_iter >= max_iter or (few and counts_little(objective, new - slopes, missed, reach)):
            return point, new, n_iter
        taking_part |= missed


def counts_little(objective: Objective, moves: Array, missed: Array, reach: float) -> bool:
    """Whether the gradient of the missed slopes is within the tolerance of a round."""
    if not missed.any():
        return True
    rows = np.flatnonzero(missed if missed.ndim == 1 else missed.any(axis=0))
    push = objective.weights[rows] * np.where(missed[..., rows], moves[..., rows], 0)
    g = objective.design.restricted(rows).pull(push)
    moved = float((moves * moves @ objective.weights).sum())
    return float(np.vdot(g, g)) <= moved * objective.strength / reach


def near(smooth: Augmented) -> Callable[[Point, Point, bool], bool]:
    """Stopping test of a round: its slopes are off by no more than they have changed, or by rounding alone.

    The dual of a round has curvature 1/reach, and its gap is at most ‖∇‖²/(2·strength).
    """

    def small(old: Point, new: Point, exact: bool) -> bool:
        if exact:
            return True
        moved = float(((new.slopes - smooth.centre) ** 2 @ smooth.weights).sum())
        g = new.gradient
        size = float(np.vdot(g, g))
        if size <= moved * smooth.strength / smooth.reach:
            return True
        return new.value >= old.value and size >= float(np.vdot(old.gradient, old.gradient))

    return small
