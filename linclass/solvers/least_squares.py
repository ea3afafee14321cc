"""Least squares in closed form:  (X_cᵀ W X_c + strength·I) w = X_cᵀ W (y − ȳ),  b = ȳ − x̄·w,

with X_c = X − x̄ where there is an intercept. The normal equations square the condition number, so
columns are centred and brought to one scale first, and the answer is refined by its own residual,
which is worked out from X, not from XᵀX. Dependent columns give the shortest solution and the rank.
Björck (1996), Numerical Methods for Least Squares Problems, §2.9
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.applicability import require_memory
from linclass.inverse import Inverse
from linclass.numerics import Array
from linclass.objective import Objective
from linclass.solvers.base import Solution, Solver, Trace


@dataclass(frozen=True)
class LeastSquares(Solver):
    needs: ClassVar[str] = "quadratic"
    refinements: ClassVar[int] = 3

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        p = objective.design.width
        require_memory(24 * p * p, f"least_squares needs a dense {p} × {p} Gram matrix")
        system = NormalEquations(objective)
        point = objective.at(objective.zero())
        for _ in range(self.refinements):
            step = system.solve(point.gradient)
            point = objective.at(point.theta - step)
            if trace:
                trace(point)
            if np.linalg.norm(step) <= 1e-14 * np.linalg.norm(point.theta):
                break
        return Solution.at(point, objective.certificate(point), self.tol, 1, rank=system.rank)


class NormalEquations:
    """H⁻¹ of a quadratic objective, whose scores all share one H."""

    def __init__(self, objective: Objective):
        design, w = objective.design, objective.weights
        self.d = design.n_features
        self.mean, G = design.centred_gram(w)
        G[np.diag_indices(self.d)] += objective.curvature
        flat = np.sqrt(np.maximum(np.diag(G), 0)) <= 1e-13 * np.abs(self.mean)  # but for rounding
        G[flat] = G[:, flat] = 0
        self.inverse = Inverse(G)
        rank = self.inverse.rank
        self.rank = None if rank is None else rank + design.intercept

    def solve(self, g: Array) -> Array:
        """H⁻¹ g, with the intercept eliminated:  w = H_c⁻¹(g_w − x̄ g_b),  b = g_b − x̄·w."""
        d = self.d
        g_b = g[..., d:]
        right = g[..., :d] - g_b * self.mean if g_b.size else g
        w = self.inverse.times(np.ascontiguousarray(right.T)).T
        return np.concatenate([w, g_b - (w @ self.mean)[..., None]], axis=-1) if g_b.size else w
