"""Subgradient method for losses with a kink:  θ ← θ − η_t g_t,  g_t ∈ ∂P(θ_t).

With a penalty of strength λ on W, η_t = 2/(λ(t + 1)) makes W the average of all −Xᵀ(w s)/λ so far with weights
t = 1, 2, …. The same average of the slopes s is then a dual point, and its gap to the averaged iterate is O(1/(λt)).
Without a penalty, η_t = 1/(‖g‖√t) converges, without a certificate of that kind.
Lacoste-Julien, Schmidt & Bach (2012), arXiv:1212.2002; Nesterov (2004), §3.2.3"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array
from linclass.base.documentation import documented
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import equal_factors
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution, Solver, Trace, in_other_coordinates


@documented
@dataclass(frozen=True)
class Subgradient(Solver):
    """The subgradient method, for any convex loss.

    Parameters
    ----------
    max_iter : int or None, default=None
        Limit on the number of iterations. None is 10000.
    """

    needs: ClassVar[str] = "convex"
    limit: ClassVar[int] = 10_000
    certify_every: ClassVar[int] = 100

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if (unit := equal_factors(objective)) is not None:  # else one step is too long for others
            return in_other_coordinates(unit, self.solve, objective, start, trace)
        theta = start.copy()
        best, certificate = objective.at(theta), np.inf
        mean, mass = np.zeros_like(theta), 0.0
        dual = np.zeros_like(best.scores)
        strong = float(np.min(objective.curvature))
        if objective.strength and best.value == 0:  # nothing is below
            return Solution.at(best, certify(best), self.tol, 0, slopes=best.slopes)
        for t in range(1, self.max_steps + 1):
            point = objective.at(theta)
            g, s = point.gradient, point.slopes
            if strong:  # later iterates have larger weights
                eta, weight = 2 / (strong * (t + 1)), float(t)
            else:
                eta = 1 / (max(float(np.linalg.norm(g)), 1e-300) * t**0.5)
                weight = eta
            mass += weight
            mean += weight / mass * (theta - mean)
            dual = dual + weight / mass * (s - dual)
            theta = theta - eta * g
            if trace:
                trace(point)
            if t % self.certify_every == 0 or t == self.max_steps:
                average = objective.at(mean.copy())
                best = min(best, average, point, key=lambda p: (p.value, np.abs(p.slopes).sum()))
                certificate = certify(best, dual)
                if certificate <= self.tol:
                    break
        return Solution.at(best, certificate, self.tol, t, slopes=dual if strong else None)
