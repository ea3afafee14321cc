"""Iteratively reweighted least squares, as the textbook writes it:

    z = Xβ + W⁻¹(y − p)        the adjusted response
    β ← argmin Σ W_i (z_i − x_i·β)² + strength·‖β‖²,

with W = p(1 − p): the Newton step in the clothes of a regression. For any loss W is the curvature
and p − y the slope. Where the objective would rise, only part of the way to the new β is taken.
Hastie, Tibshirani & Friedman (2009), (4.26)–(4.28)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linclass.applicability import NotApplicable
from linclass.inverse import Inverse
from linclass.numerics import Array
from linclass.objective import Objective
from linclass.solvers.base import Solution, Solver, Trace
from linclass.solvers.newton import descend


@dataclass(frozen=True)
class Irls(Solver):
    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if start.ndim == 2:
            raise NotApplicable("irls regresses one score, for two classes. Try solver='newton'.")
        point = objective.at(start)
        for n_iter in range(1, self.n_steps + 1):  # noqa: B007
            W, slopes = point.curvatures, point.slopes
            response = point.scores - np.divide(slopes, W, out=np.zeros_like(W), where=W > 0)
            XtWz = objective.design.pull(objective.weights * W * response)
            inverse = Inverse(point.hessian)
            step = inverse.times(XtWz) - point.theta
            point = descend(point, step, objective.at)
            if trace:
                trace(point)
            certificate = objective.certificate(point)
            if certificate <= self.tol or point.separates:
                break
        return Solution.at(point, certificate, self.tol, n_iter, rank=inverse.rank)
