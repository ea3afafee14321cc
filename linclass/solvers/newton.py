"""Newton–Raphson  θ ← θ − t H⁻¹ g,  with t = 1 unless the objective rises.

Where half the Newton decrement ½ gᵀH⁻¹g, the model's estimate of what is left to gain, falls below
a few tol, the step is taken without forming another Hessian: convergence is quadratic by then.
Boyd & Vandenberghe (2004), §9.5
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linclass.numerics import Array, solve_symmetric
from linclass.objective import Objective, Point
from linclass.solvers.base import Solution, Solver, Trace


@dataclass(frozen=True)
class Newton(Solver):
    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        point = objective.at(start)
        certificate = np.inf
        rank = None
        # A gap is a proof; without one a further step is what makes the coefficients' digits right.
        near = 10 * self.tol if objective.certificate_kind == "duality_gap" else 0.01 * self.tol
        for n_iter in range(1, self.n_steps + 1):  # noqa: B007
            step, rank = newton_step(objective, point)
            decrement = -float(np.vdot(point.gradient, step))
            point = descend(point, step, decrement)
            if trace:
                trace(point)
            if decrement / 2 <= near * abs(point.value):
                certificate = objective.certificate(point)
                if certificate <= self.tol:
                    break
            if point.separates:
                certificate = objective.certificate(point)
                break
        else:
            certificate = objective.certificate(point)
        return Solution.at(point, certificate, self.tol, n_iter, rank=rank)


def newton_step(objective: Objective, point: Point) -> tuple[Array, int | None]:
    """(−H⁻¹g, None), or when H is singular the shortest such step and the rank of H."""
    H, g = objective.hessian(point), point.gradient.ravel()
    if objective.loss.shift_invariant and objective.design.intercept:
        fix_common_intercept(H, objective.shape)
    step, rank = solve_symmetric(H, g)
    return -step.reshape(objective.shape), rank


def fix_common_intercept(H: Array, shape: tuple[int, ...]) -> None:
    """One number added to all K intercepts changes nothing: H gains what g has no part in."""
    K, width = shape
    b = np.arange(K) * width + width - 1
    H[np.ix_(b, b)] += H[b, b].mean() / K


def descend(point: Point, step: Array, decrement: float) -> Point:
    """The first of t = 1, ½, ¼, … that does not raise the objective."""
    along = point.toward(step)
    t = 1.0
    new = along(t)
    slack = 1e-13 * abs(point.value)
    while not new.value <= point.value - 1e-4 * t * decrement + slack and t > 1e-10:
        t /= 2
        new = along(t)
    return new
