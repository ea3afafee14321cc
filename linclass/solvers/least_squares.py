"""Least squares in closed form:  (Xᵀ W X + strength·I₀) θ = Xᵀ W y,  I₀ sparing the intercept.

The normal equations square the condition number, so columns are brought to one scale first and the
answer is refined by its own residual, which is worked out from X, not from XᵀX. Dependent columns
give the shortest solution and the rank.   Björck (1996), Numerical Methods for Least Squares, §2.9
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from linclass.applicability import require_memory
from linclass.numerics import Array, solve_singular
from linclass.objective import Objective
from linclass.solvers.base import Solution, Solver, Trace


@dataclass(frozen=True)
class LeastSquares(Solver):
    needs: ClassVar[str] = "quadratic"
    refinements: ClassVar[int] = 3

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        p = objective.design.width
        require_memory(16 * p * p, f"least_squares needs a dense {p} × {p} Gram matrix")
        point = objective.at(objective.zero())
        G = objective.one_score_hessian(point)
        scale = np.sqrt(np.diag(G))
        scale[scale == 0] = 1
        rank = None
        try:
            factor = cho_factor(G / np.outer(scale, scale), lower=True)
            if np.diag(factor[0]).min() < 1e-7:
                raise LinAlgError("dependent columns")
        except LinAlgError:
            step, rank = solve_singular(G, point.gradient.T)
            point = objective.at(point.theta - step.T)
        else:
            for _ in range(self.refinements):
                step = cho_solve(factor, (point.gradient / scale).T).T / scale
                point = objective.at(point.theta - step)
                if np.linalg.norm(step) <= 1e-14 * np.linalg.norm(point.theta):
                    break
        if trace:
            trace(point)
        return Solution.at(point, objective.certificate(point), self.tol, 1, rank=rank)
