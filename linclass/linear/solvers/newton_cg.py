"""Newton–CG: H s = −g solved by conjugate gradients to ‖r‖ ≤ η‖g‖, so that H is never formed.

For many features. A constant η = 0.3 costs the fewest products: exact early steps are wasted far from the
optimum, and the line search repairs late ones. CG also computes X s, so the line search needs only vectors
over the rows.   Nocedal & Wright (2006), §7.1
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array
from linclass.base.documentation import documented
from linclass.base.numerics import Apply, Inverse, backtrack, conjugate_gradients, length
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import CentringSolver, Solution, Trace
from linclass.linear.solvers.newton import Newton, inverse_hessian
from linclass.linear.solvers.starts import few_rows

SUBSET_PART = 6  # of the rows precondition: with fewer and a weak penalty the Hessian is a poor one
MAX_PRODUCTS = 8  # products for one step, above which a Hessian is formed to precondition the next
HESSIAN_SHARE = 0.25  # the same for K scores, for each parameter: their Hessian has K² blocks
MAX_HESSIAN = 500  # parameters up to which a Hessian takes not much longer than a few products
MAX_SPARSE_HESSIAN = 150  # the same for sparse rows, as a subset does not contain every feature
LARGEST_GRAM = 1000  # features


@documented
@dataclass(frozen=True)
class NewtonCg(CentringSolver):
    """Newton's method, with steps by conjugate gradients.

    Parameters
    ----------
    forcing : float, default=0.3
        η: conjugate gradients stop when the residual is at most η times the gradient.
    """

    forcing: float = 0.3

    limit: ClassVar[int] = 200

    def check(self) -> None:
        super().check()
        if not 0 <= self.forcing < 1:
            raise ValueError(
                f"forcing is {self.forcing!r}; it must be a number, at least 0 and below 1."
            )

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        start, precondition, eta = self._prepare(objective, start)
        point, certificate, exact = objective.at(start), np.inf, False
        for n_iter in range(1, self.max_steps + 1):  # noqa: B007
            g, times = point.gradient, objective.hessian_times(point, exact)
            passes = objective.design.passes
            s, Xs, solved = conjugate_gradients(times, -g, eta * length(g), precondition)
            exact = exact or not solved
            most = MAX_PRODUCTS if g.ndim == 1 else max(MAX_PRODUCTS, HESSIAN_SHARE * g.size)
            if g.size <= MAX_HESSIAN and objective.design.passes - passes > most:
                precondition = by_hessian(objective.at_with_hessian(point.theta))
            decrement = -float(np.vdot(g, s))
            new, t = backtrack(point, point.toward(s, Xs), -decrement)
            gain = decrement / max(abs(new.value), 1e-300)
            point = new
            if trace:
                trace(point)
            full = t == 1 and (eta**2 + min(1.0, 10 * gain)) * gain <= 0.01 * self.tol
            if full or point.separates:
                certificate = certify(point)
                if certificate <= self.tol or point.separates:
                    break
                # the gap is proportional to ‖g‖²: no smaller g than tol requires
                eta = min(0.5, max(0.05, 0.7 * (self.tol / certificate) ** 0.5))
        else:
            certificate = certify(point)
        return Solution.at(point, certificate, self.tol, n_iter)

    def _prepare(self, objective: Objective, start: Array) -> tuple[Array, Apply | None, float]:
        """(start, preconditioner, η). With a good preconditioner more accurate steps cost little.

        A subset of the rows gives a start and, if its Hessian is small, a preconditioner; for sparse rows, where a
        subset does not contain every feature, up to a lower limit. Otherwise K dense scores share the preconditioner
        (XᵀX/K + strength·I)⁻¹, as if all classes were equally likely. Bags of words have no good preconditioner: even
        the diagonal of H doubles the number of products.
        """
        few, width = None, objective.design.width
        if objective.strength:
            few = few_rows(objective, start, SUBSET_PART)
        sparse, p = objective.design.is_sparse, objective.n_parameters
        if few is not None and p <= (MAX_SPARSE_HESSIAN if sparse else MAX_HESSIAN):
            solver = Newton() if p <= MAX_SPARSE_HESSIAN else self
            theta = replace(solver, tol=1e-3, max_iter=None).solve(few, start).theta
            point = few.at_with_hessian(theta)
            return theta, by_hessian(point), min(0.1 if sparse else 0.03, self.forcing)
        if sparse or start.ndim == 1 or width > LARGEST_GRAM:
            return start, None, self.forcing
        if few is not None:
            start = replace(self, tol=1e-3, max_iter=None).solve(few, start).theta
        inverse = Inverse(objective.shared_hessian())
        return start, lambda R: inverse.times(R.T).T, min(0.2, self.forcing)


def by_hessian(point: Point) -> Apply:
    inverse = inverse_hessian(point.objective, point.hessian)
    return lambda r: inverse.times(r.ravel()).reshape(r.shape)
