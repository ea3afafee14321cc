"""Least squares in closed form:  (X_cᵀ W X_c + strength·I) w = X_cᵀ W (y − ȳ),  b = ȳ − x̄·w,

with X_c = X − x̄ if there is an intercept. The normal equations square the condition number, so columns are centred
and scaled first, and the solution is refined by its residual, computed from X and not from XᵀX. Linearly dependent
columns give the minimum-norm solution and the rank. Without a penalty, and with more features than rows, equations
over the rows replace the normal equations.
Björck (1996), Numerical Methods for Least Squares Problems, §2.9
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array, diagonal
from linclass.base.documentation import documented
from linclass.base.linear_algebra import Inverse, clear_constant_columns
from linclass.base.messages import require_memory
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import centred
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import Solution, Solver, Trace
from linclass.linear.solvers.row_equations import RowEquations


@documented
@dataclass(frozen=True)
class LeastSquares(Solver):
    """Least squares in closed form.

    Parameters
    ----------
    max_iter : int or None, default=None
        Not used: the solution has a closed form.
    """

    needs: ClassVar[str] = "quadratic"
    refinements: ClassVar[int] = 3

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if not shorter_by_rows(objective):
            equations = NormalEquations(objective, centred_gram(objective))
            return self._refined(objective, equations, trace)
        near = centred(objective)
        if near is None:
            return self._refined(objective, RowEquations(objective), trace)
        solution = self._refined(near.objective, RowEquations(near.objective), trace)
        solution.theta = near.units.move(solution.theta)
        return solution

    def path(
        self, objective: Objective, strengths: Iterable[float], start: Array
    ) -> list[Solution]:
        """All strengths share one Gram matrix, which takes most of the time."""
        gram = centred_gram(objective)
        at_strengths = map(objective.with_strength, strengths)
        return [self._refined(P, NormalEquations(P, gram)) for P in at_strengths]

    def _refined(
        self,
        objective: Objective,
        system: NormalEquations | RowEquations,
        trace: Trace | None = None,
    ) -> Solution:
        point = objective.at(objective.zero())
        for _ in range(self.refinements):
            step = system.step(point)
            point = objective.at(point.theta - step)
            if trace:
                trace(point)
            if np.linalg.norm(step) <= 1e-14 * np.linalg.norm(point.theta):
                break
        return Solution.at(point, certify(point), self.tol, 1, rank=system.rank)


def shorter_by_rows(objective: Objective) -> bool:
    design = objective.design
    return not objective.strength and design.n_rows < design.n_features


def centred_gram(objective: Objective) -> tuple[Array, Array]:
    """(x̄, X_cᵀ W X_c)"""
    p = objective.design.width
    require_memory(24 * p * p, f"least_squares needs a dense {p} × {p} Gram matrix")
    return objective.design.centred_gram(objective.weights)


class NormalEquations:
    """H⁻¹ of a quadratic objective, whose scores all share one H."""

    def __init__(self, objective: Objective, gram: tuple[Array, Array]):
        design = objective.design
        self.d = design.n_features
        self.mean, G = gram[0], gram[1].copy()
        diagonal(G)[...] += objective.curvature
        clear_constant_columns(G, self.mean)
        self.inverse = Inverse(G)
        rank = self.inverse.rank
        self.rank = None if rank is None else rank + design.intercept

    def step(self, point: Point) -> Array:
        """H⁻¹ g, with the intercept eliminated:  w = H_c⁻¹(g_w − x̄ g_b),  b = g_b − x̄·w."""
        d, g = self.d, point.gradient
        g_b = g[..., d:]
        right = g[..., :d] - g_b * self.mean if g_b.size else g
        w = self.inverse.times(np.ascontiguousarray(right.T)).T
        return np.concatenate([w, g_b - (w @ self.mean)[..., None]], axis=-1) if g_b.size else w
