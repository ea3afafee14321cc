"""Iteratively reweighted least squares:

    z = Xβ + W⁻¹(y − p)        the adjusted response
    β ← argmin Σ W_i (z_i − x_i·β)² + strength·‖β‖²,

with W = p(1 − p): Newton's step written as a weighted regression. For a general loss W is the curvature
and p − y the slope; with K scores W is a K × K matrix for each row. Steps that do not decrease the objective
are halved.   Hastie, Tibshirani & Friedman (2009), (4.26)–(4.28) and exercise 4.4
"""

from __future__ import annotations

from dataclasses import dataclass

from linclass.base.arrays import Array
from linclass.base.documentation import documented
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import CentringSolver, Solution, Trace
from linclass.linear.solvers.newton import inverse_hessian, line_search


@documented
@dataclass(frozen=True)
class Irls(CentringSolver):
    """Iteratively reweighted least squares."""

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        point = objective.at(start)
        for n_iter in range(1, self.max_steps + 1):  # noqa: B007
            # W z, as W Xβ + (y − p): a row without curvature, W = 0, has no z but keeps its slope
            response = objective.loss.curve(point.curvatures, point.scores) - point.slopes
            XtWz = objective.design.pull(objective.weights * response)
            inverse = inverse_hessian(objective, point.hessian)
            beta = inverse.times(XtWz.ravel()).reshape(start.shape)
            point = line_search(point, beta - point.theta, objective.at)
            if trace:
                trace(point)
            certificate = certify(point)
            if certificate <= self.tol or point.separates:
                break
        return Solution.at(point, certificate, self.tol, n_iter, rank=inverse.rank)
