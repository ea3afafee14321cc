"""Newton's step among many weights, by conjugate gradients within the orthant of their signs."""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array
from linclass.base.line_search import backtrack_predicted
from linclass.base.linear_algebra import solve_lifted
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Point, without_common_shift

FORCING = 0.3  # of the residual, at which conjugate gradients stop


class OrthantStep:
    """Toward  H s = −(∇ + kink·sign)  on the entries that are not 0 or leave it; weights that would change their
    sign are set to 0. An entry that would leave 0 on the wrong side would ascend, and stays.

    Andrew & Gao (2007), ICML; Byrd, Chin, Nocedal & Oztoprak (2016), Math. Programming 159
    """

    def __init__(self, free: Array, units: Units):
        self.free, self.units = free, units  # entries of theta that may move

    def __call__(self, point: Point) -> Point:
        objective, w, d = point.objective, point.theta, point.objective.design.n_features
        units, kinked = self.units, np.greater(objective.kink, 0)
        b = -self._steepest(point)
        moving = self.free & ((w != 0) | (b != 0))
        moving[..., d:] = True
        products = objective.hessian_times(point, exact=units.needs_double)

        def curve(u: Array) -> Array:
            return np.where(moving, units.pull(products(units.move(u))[0]), 0)

        b = np.where(moving, b, 0)
        u = solve_lifted(curve, b, FORCING)
        u[..., :d][(w[..., :d] == 0) & (u * b < 0)[..., :d] & kinked] = 0
        at = units.coordinates(w)

        def evaluate(t: float) -> tuple[Point, float]:
            new = at + t * u
            new[..., :d][(new[..., :d] * w[..., :d] < 0) & kinked] = 0
            return objective.at(without_common_shift(objective, units.move(new))), float(
                np.vdot(b, new - at)
            )

        return backtrack_predicted(point, evaluate)

    def residual(self, point: Point) -> float:
        return float(np.abs(self._steepest(point)).max(initial=0))

    def adapt(self, ratio: float) -> None:
        """Nothing to adapt: every step has its own Hessian."""

    def _steepest(self, point: Point) -> Array:
        return np.where(self.free, self.units.steepest(point), 0)
