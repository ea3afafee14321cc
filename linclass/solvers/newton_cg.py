"""Newton–CG: H s = −g solved by conjugate gradients to ‖r‖ ≤ η‖g‖, so that H is never formed.

For many features. η = 0.3 throughout costs the fewest products in all: exact early steps are
wasted far from the optimum, and the line search repairs late ones. CG carries X s along, so the
line search touches vectors over rows only.   Nocedal & Wright (2006), §7.1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.numerics import Array
from linclass.objective import Objective
from linclass.solvers.base import Solution, Solver, Trace

Product = Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True)
class NewtonCg(Solver):
    forcing: float = 0.3

    limit: ClassVar[int] = 200

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        point = objective.at(start)
        certificate = np.inf
        for n_iter in range(1, self.n_steps + 1):  # noqa: B007
            g = point.gradient
            s, Xs = conjugate_gradients(objective.hessian_times(point), -g, self.forcing)
            decrement = -float(np.vdot(g, s))
            t, along = 1.0, point.toward(s, Xs)
            new = along(t)
            slack = 1e-13 * abs(point.value)
            while not new.value <= point.value - 1e-4 * t * decrement + slack and t > 1e-10:
                t /= 2
                new = along(t)
            point = new
            if trace:
                trace(point)
            left = (
                self.forcing**2 + min(1.0, 10 * decrement / max(abs(point.value), 1e-300))
            ) * decrement
            if t == 1 and left <= self.tol * abs(point.value):
                certificate = objective.certificate(point)
                if certificate <= self.tol:
                    break
            if point.separates:
                certificate = objective.certificate(point)
                break
        else:
            certificate = objective.certificate(point)
        return Solution.at(point, certificate, self.tol, n_iter)


def conjugate_gradients(
    times: Product, b: Array, forcing: float, precondition: Callable[[Array], Array] | None = None
) -> tuple[Array, Array]:
    """(s, X s) with H s ≈ b, ‖b − H s‖ ≤ forcing·‖b‖."""
    s = np.zeros_like(b)
    Xs = 0.0
    r = b.copy()
    stop = forcing * np.sqrt(np.vdot(b, b))
    y = r if precondition is None else precondition(r)
    p = y.copy()
    rho = np.vdot(r, y)
    for _ in range(10 * b.size):
        if np.sqrt(np.vdot(r, r)) <= stop:
            break
        Hp, Xp = times(p)
        curvature = np.vdot(p, Hp)
        if curvature <= 0:  # flat to rounding: nothing more to gain along p
            break
        a = rho / curvature
        s += a * p
        Xs = Xs + a * Xp
        r -= a * Hp
        y = r if precondition is None else precondition(r)
        rho, last = np.vdot(r, y), rho
        p *= rho / last
        p += y
    return s, np.asarray(Xs)
