"""Proximal Newton on a working set, for smooth losses and penalties with a kink:

    W ← W + t (V − W),   V = argmin_V  g·(V − W) + ½ (V − W)ᵀ H (V − W) + Σ kink_j |v_j|

with V over few features only: the support, and those whose slope exceeds the kink most. From W = 0 the strength
is decreased to its value in stages, so that few features enter wrongly, since they are selected when the others are
near their final weights. With fewer weights than rows one step in each stage suffices. With more, a weak penalty lets
the model separate the rows, whose curvature then vanishes, and steps from far away are poor: there each stage is a
rough fit, started from the last ones as along any path. A Hessian is kept as long as its steps reduce the residual
tenfold. The start is the best intercept, and steps are taken in scaled coordinates (`Units`).
Lee, Sun & Saunders (2014), SIAM J. Optimization 24; Tibshirani et al. (2012), JRSS B 74
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, log
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import Units, centred
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import Solution, Solver, Trace, in_other_coordinates
from linclass.linear.solvers.intercept_alone import is_minimum, start_of_weights
from linclass.linear.solvers.l1.working_set import CUT, WorkingSet

STAGE = 0.3  # ratio of one strength to the last, with fewer weights than rows
ROUGH_STAGE = 0.5  # the same with more
ROUGH = 0.1  # tolerance of a stage then
LOOK = 0.01  # of the kink: a residual below it is worth computing the certificate


@dataclass(frozen=True)
class ProximalNewton(Solver):
    """Proximal Newton on a working set, for any penalty that is a sum over features.

    Parameters
    ----------
    tol : float, default=1e-6
        Tolerance: the solver stops when its certificate is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of steps. None is 500.
    """

    takes: ClassVar[str] = "entrywise"
    limit: ClassVar[int] = 500

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if objective.design.is_sparse and (near := centred(objective)) is not None:
            return in_other_coordinates(near, self.solve, objective, start, trace)
        point, units = start_of_weights(objective, start), Units.of(objective)
        if is_minimum(point, units):
            if trace:
                trace(point)
            return Solution.at(point, certify(point), self.tol, 0)
        if (nearer := self.near(objective, start)) is not start:
            point = objective.at(nearer)
        steps, working = 0, None
        for solution in self.rough_path(objective, point):
            steps, point = steps + solution.n_iter, objective.at(solution.theta)
            if trace:
                trace(point)
            if steps >= self.max_steps:
                break
        for stage in stages(objective, point):
            working = WorkingSet(stage, point, units)
            steps += working.descend(1)
            point = working.point_of(objective)
            if trace:
                trace(point)
        certificate, working, small = np.inf, None, LOOK * float(np.max(objective.kink))
        while True:
            left = float(np.abs(units.excess(point)).max(initial=0))
            if left <= small or not objective.kinked or steps >= self.max_steps:
                certificate = certify(point)
            if certificate <= self.tol or steps >= self.max_steps or point.separates:
                break
            working = WorkingSet(objective, point, units, working)
            informative = certificate < 1  # the gap is proportional to the residual
            goal = min(CUT, 0.5 * self.tol / certificate) if informative else CUT
            steps += working.descend(self.max_steps - steps, goal)
            point = working.point_of(objective)
            if trace:
                trace(point)
        return Solution.at(point, certificate, self.tol, steps)

    def rough_path(self, objective: Objective, point: Point) -> Iterator[Solution]:
        """Rough fits at strengths that decrease to that of the objective, if it has more weights than rows and the
        start has no support.
        """
        ratio = ratio_to_empty(objective, point)
        stages = ceil(log(ratio) / -log(ROUGH_STAGE))
        if stages > 1 and objective.n_parameters > objective.design.n_rows:
            strengths = objective.strength * np.geomspace(ratio, 1, stages + 1)[1:]
            yield from replace(self, tol=ROUGH).along_path(objective, strengths, point.theta)


def stages(objective: Objective, point: Point) -> Iterator[Objective]:
    """The problem at strengths that decrease to about its own, if the start has no support."""
    ratio = ratio_to_empty(objective, point)
    while (ratio := STAGE * ratio) > 1.2:
        yield objective.with_strength(objective.strength * ratio)


def ratio_to_empty(objective: Objective, point: Point) -> float:
    """The least strength at which the support stays empty, in units of the objective's; 1 if it is not empty."""
    if not objective.kinked or objective.weight_part(point.theta).any():
        return 1.0
    slopes = objective.weight_part(point.steepest)
    return 1 + float(objective.penalty.dual_norm(slopes)) / objective.strength
