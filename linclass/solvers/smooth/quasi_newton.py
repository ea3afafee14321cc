"""L-BFGS: H⁻¹ is approximated from the last few changes of θ and of the gradient.

With s = Δθ, y = Δ∇P, ρ = 1/(y·s), the two-loop recursion applies
H⁻¹ ← (I − ρ s yᵀ) H⁻¹ (I − ρ y sᵀ) + ρ s sᵀ,  starting from (s·y/y·y) I. The step satisfies both Wolfe
conditions, so every y·s > 0 and H⁻¹ stays positive definite.
Nocedal & Wright (2006), algorithms 7.4 and 3.5
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.line_search import wolfe
from linclass.numerics import Array
from linclass.objective.objective import Objective
from linclass.solvers.base import Solution, Solver, Trace

Pairs = deque[tuple[Array, Array, float]]


@dataclass(frozen=True)
class QuasiNewton(Solver):
    """L-BFGS, which approximates the inverse Hessian from recent gradients.

    Parameters
    ----------
    tol : float, default=1e-6
        Tolerance: the solver stops when its certificate is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of iterations. None is 1000.
    memory : int, default=10
        Number of pairs of changes that the inverse Hessian is built from.
    """

    memory: int = 10

    needs: ClassVar[str] = "smooth"
    limit: ClassVar[int] = 1000

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        point = objective.at(start)
        pairs: Pairs = deque(maxlen=self.memory)
        for n_iter in range(1, self.max_steps + 1):  # noqa: B007
            old = point
            direction = -times_inverse(pairs, old.gradient)
            first = 1.0 if pairs else 1 / max(1.0, float(np.linalg.norm(direction)))
            point = wolfe(old, old.toward(direction), direction, first)
            s, y = point.theta - old.theta, point.gradient - old.gradient
            sy = float(np.vdot(s, y))
            if sy > 1e-14 * np.linalg.norm(s) * np.linalg.norm(y) > 0:
                pairs.append((s, y, 1 / sy))
            else:  # limited by rounding
                pairs.clear()
            if trace:
                trace(point)
            if point.separates or old.value - point.value <= self.tol * abs(point.value):
                certificate = objective.certificate(point)
                if certificate <= self.tol or point.separates or point is old:
                    break
        else:
            certificate = objective.certificate(point)
        return Solution.at(point, certificate, self.tol, n_iter)


def times_inverse(pairs: Pairs, g: Array) -> Array:
    """H⁻¹ g by the two-loop recursion."""
    q, kept = g.copy(), []
    for s, y, rho in reversed(pairs):
        a = rho * np.vdot(s, q)
        q -= a * y
        kept.append(a)
    if pairs:
        _, y, rho = pairs[-1]
        q /= rho * np.vdot(y, y)
    for (s, y, rho), a in zip(pairs, reversed(kept), strict=True):
        q += (a - rho * np.vdot(y, q)) * s
    return q
