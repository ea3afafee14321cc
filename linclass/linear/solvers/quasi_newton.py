"""L-BFGS: H⁻¹ is approximated from the last few changes of θ and of the gradient (`Secants`).

It starts from (s·y/y·y) I, of features in different units or far from 0 in scaled coordinates (`Units`). The step
satisfies both Wolfe conditions, so every y·s > 0.
Nocedal & Wright (2006), algorithms 7.4 and 3.5
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from linclass.base.arrays import SMALLEST, Array
from linclass.base.documentation import documented
from linclass.base.numerics import wolfe
from linclass.base.parameters import require_whole
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import CentringSolver, Solution, Trace

# BFGS: an approximate H⁻¹ is corrected by the last few changes of θ and of the gradient.
#
# With s = Δθ, y = Δ∇P, ρ = 1/(y·s), the two-loop recursion applies H⁻¹ ← (I − ρ s yᵀ) H⁻¹ (I − ρ y sᵀ) + ρ s sᵀ  for
# one pair after another. As every y·s > 0, H⁻¹ stays positive definite. In other coordinates u the pairs are those of
# u and of the gradient in u. Nocedal & Wright (2006), algorithm 7.4


class Secants:
    """Pairs of such changes; `inverse` applies the H⁻¹ that they correct, by default (s·y/y·y) I of the last pair."""

    def __init__(
        self,
        memory: int | None = None,
        inverse: Callable[[Array], Array] | None = None,
        units: Units | None = None,
    ):
        self._pairs: deque[tuple[Array, Array, float]] = deque(maxlen=memory)
        self._inverse, self._units = inverse or self._scaled, units

    def __len__(self) -> int:
        return len(self._pairs)

    def add(self, old: Point, new: Point) -> None:
        s, y = new.theta - old.theta, new.gradient - old.gradient
        if self._units is not None:
            s, y = self._units.coordinates(s), self._units.pull(y)
        s, y = s.ravel(), y.ravel()
        sy = float(np.vdot(s, y))
        if sy > 1e-14 * np.linalg.norm(s) * np.linalg.norm(y) > 0:
            self._pairs.append((s, y, 1 / sy))
        else:  # limited by rounding
            self._pairs.clear()

    def times(self, g: Array) -> Array:
        """H⁻¹ g by the two-loop recursion."""
        q: Array = (g.copy() if self._units is None else self._units.pull(g)).ravel()
        kept = []
        for s, y, rho in reversed(self._pairs):
            a = rho * np.vdot(s, q)
            q -= a * y
            kept.append(a)
        q = self._inverse(q)
        for (s, y, rho), a in zip(self._pairs, reversed(kept), strict=True):
            q += (a - rho * np.vdot(y, q)) * s
        q = q.reshape(g.shape)
        return q if self._units is None else self._units.move(q)

    def _scaled(self, g: Array) -> Array:
        if not self._pairs:
            return g
        _, y, rho = self._pairs[-1]
        return g / (rho * np.vdot(y, y))


# features are left as they are up to this ratio of scales, and this mean in their unit
ALIKE, NEAR = 10.0, 0.5
SCORE_STEP = 1e-3  # change of a score, for a difference of slopes


@documented
@dataclass(frozen=True)
class QuasiNewton(CentringSolver):
    """L-BFGS, which approximates the inverse Hessian from recent gradients.

    Parameters
    ----------
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

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        point = objective.at(start)
        secants = Secants(int(self.memory), units=scaled_coordinates(objective, point))
        for n_iter in range(1, self.max_steps + 1):  # noqa: B007
            old = point
            direction = -secants.times(old.gradient)
            length = max(-float(np.vdot(old.gradient, direction)), 0) ** 0.5
            first = 1.0 if secants else 1 / max(1.0, length)
            point = wolfe(old, old.toward(direction), direction, first)
            secants.add(old, point)
            if trace:
                trace(point)
            if point.separates or old.value - point.value <= self.tol * abs(point.value):
                certificate = certify(point)
                if certificate <= self.tol or point.separates or point is old:
                    break
        else:
            certificate = certify(point)
        return Solution.at(point, certificate, self.tol, n_iter)


def scaled_coordinates(objective: Objective, point: Point) -> Units | None:
    """Coordinates in which the diagonal of the Hessian, with the penalty, is about constant; None if features have
    similar scales, or if they are functions of a kernel.
    """
    if objective.design.is_kernel:
        return None
    units = Units.of(objective)
    scale = np.hypot(units.scale, np.sqrt(objective.curvature / bend_at(point)))
    far = np.abs(units.mean) > NEAR * units.scale
    if scale.max() <= ALIKE * scale.min() and not far.any():
        return None
    return replace(units, scale=scale)


def bend_at(point: Point) -> float:
    """Mean curvature of the loss in a score, by differences; row i of K scores moves its score i mod K."""
    objective, moved = point.objective, point.scores.copy()
    rows = np.arange(moved.shape[-1])
    own = (rows,) if moved.ndim == 1 else (rows % len(moved), rows)
    moved[own] += SCORE_STEP
    change = objective.loss.slopes(objective.y, moved)[own] - point.slopes[own]
    return max(float(objective.weights @ np.abs(change)) / SCORE_STEP, SMALLEST)
