"""L-BFGS: H⁻¹ is approximated from the last few changes of θ and of the gradient (`Secants`).

It starts from (s·y/y·y) I, of features in different units or far from 0 in scaled coordinates (`Units`). The step
satisfies both Wolfe conditions, so every y·s > 0.
Nocedal & Wright (2006), algorithms 7.4 and 3.5
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from linclass.base.arrays import SMALLEST, Array
from linclass.base.documentation import documented
from linclass.base.numerics import wolfe
from linclass.base.parameters import require_whole
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import CentringSolver, Solution, Trace
from linclass.linear.solvers.newton import Secants

# features are left as they are up to this ratio of scales, and this mean in their unit
ALIKE, NEAR = 10.0, 0.5
SCORE_STEP = 1e-3  # of a score, for a difference of slopes


@documented
@dataclass(frozen=True)
class QuasiNewton(CentringSolver):
    """L-BFGS, which approximates the inverse Hessian from recent gradients.

    Parameters
    ----------
    memory : int, default=10
        Number of pairs of changes that the inverse Hessian is built from.
    """

    memory: int = 10

    needs: ClassVar[str] = "smooth"
    convex_only: ClassVar[bool] = False
    limit: ClassVar[int] = 1000

    def check(self) -> None:
        super().check()
        require_whole("memory", self.memory)

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        point = objective.at(start)
        secants = Secants(int(self.memory), units=scaled_coordinates(objective, point))
        for n_iter in range(1, self.max_steps + 1):  # noqa: B007
            old = point
            direction = -secants.times(old.gradient)
            length = max(-float(np.vdot(old.gradient, direction)), 0) ** 0.5
            first = 1.0 if secants else 1 / max(1.0, length)
            point = wolfe(old, old.toward(direction), direction, first)
            secants.add(old, point)
            if trace:
                trace(point)
            if point.separates or old.value - point.value <= self.tol * abs(point.value):
                certificate = certify(point)
                if certificate <= self.tol or point.separates or point is old:
                    break
        else:
            certificate = certify(point)
        return Solution.at(point, certificate, self.tol, n_iter)


def scaled_coordinates(objective: Objective, point: Point) -> Units | None:
    """Those in which the diagonal of the Hessian is about equal, with the curvature of the penalty; None if features
    are alike, or if they are functions of a kernel.
    """
    if objective.design.is_kernel:
        return None
    units = Units.of(objective)
    scale = np.hypot(units.scale, np.sqrt(objective.curvature / bend_at(point)))
    far = np.abs(units.mean) > NEAR * units.scale
    if scale.max() <= ALIKE * scale.min() and not far.any():
        return None
    return replace(units, scale=scale)


def bend_at(point: Point) -> float:
    """Mean curvature of the loss in a score, by differences, of K scores in each of them for some of the rows."""
    objective, moved = point.objective, point.scores.copy()
    rows = np.arange(moved.shape[-1])
    own = (rows,) if moved.ndim == 1 else (rows % len(moved), rows)
    moved[own] += SCORE_STEP
    change = objective.loss.slopes(objective.y, moved)[own] - point.slopes[own]
    return max(float(objective.weights @ np.abs(change)) / SCORE_STEP, SMALLEST)
