"""L-BFGS: H⁻¹ is approximated from the last few changes of θ and of the gradient (linclass/solvers/smooth/secants.py).

It starts from (s·y/y·y) I. The step satisfies both Wolfe conditions, so every y·s > 0.
Nocedal & Wright (2006), algorithms 7.4 and 3.5
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.conventions.parameter_types import require_whole
from linclass.line_search import wolfe
from linclass.numerics import Array
from linclass.objective.objective import Objective
from linclass.solvers.base import Solution, Solver, Trace
from linclass.solvers.smooth.secants import Secants


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
    convex_only: ClassVar[bool] = False
    limit: ClassVar[int] = 1000

    def check(self) -> None:
        super().check()
        require_whole("memory", self.memory)

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        point = objective.at(start)
        secants = Secants(int(self.memory))
        for n_iter in range(1, self.max_steps + 1):  # noqa: B007
            old = point
            direction = -secants.times(old.gradient)
            first = 1.0 if secants else 1 / max(1.0, float(np.linalg.norm(direction)))
            point = wolfe(old, old.toward(direction), direction, first)
            secants.add(old, point)
            if trace:
                trace(point)
            if point.separates or old.value - point.value <= self.tol * abs(point.value):
                certificate = objective.certificate(point)
                if certificate <= self.tol or point.separates or point is old:
                    break
        else:
            certificate = objective.certificate(point)
        return Solution.at(point, certificate, self.tol, n_iter)
