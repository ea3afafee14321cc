"""Accelerated proximal gradient (FISTA) with restart, for a smooth loss and any penalty:

    W ← prox_{penalty·strength/L}(V − ∇loss(V)/L),   V = W + β (W − W_before),

with backtracking on L, so that the loss lies below its quadratic bound. The momentum β is restarted whenever
it points uphill. Beside the weights W a step moves the score of the mean row (`Units`) and not the intercept, so
features far from 0 do no harm; nor do features in different units, if the prox takes a step for each. It needs only
products with the rows, but hundreds of them.
Beck & Teboulle (2009), SIAM J. Imaging Sciences 2; O'Donoghue & Candès (2015), FoCM 15"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from linclass.base.arrays import EPS, SMALLEST, Array
from linclass.base.documentation import documented
from linclass.base.numerics import halve
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Objective, Point, without_common_shift
from linclass.linear.solvers.base import Solution, Solver, Trace
from linclass.linear.solvers.starts import is_minimum, start_of_weights

RELAX = 0.95  # factor of L, tried at every step: the curvature may be smaller here
UNSEEN_BELOW = 1e-12  # relative to the loss: a bound within rounding says nothing about L
ALIKE_SCALES = 3.0  # ratio of scales, up to which steps are the same in all
LEAST_BOUND = 1e-200  # of L: without a bound no step is too long for a loss that underflows


@documented
@dataclass(frozen=True)
class ProximalGradient(Solver):
    """Accelerated proximal gradient, for any penalty."""

    needs: ClassVar[str] = "smooth"
    convex_only: ClassVar[bool] = False
    takes: ClassVar[str] = "any"
    limit: ClassVar[int] = 20_000
    certify_every: ClassVar[int] = 10

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        last, units = start_of_weights(objective, start), Units.of(objective)
        if is_minimum(last, units):
            if trace:
                trace(last)
            return Solution.at(last, certify(last), self.tol, 0)
        alike = units.scale.max() <= ALIKE_SCALES * units.scale.min()
        if alike or not objective.penalty.prox_by_feature:
            largest = float(
                units.scale.max()
            )  # near 1, the unit of the intercept, 1 serves as well
            common = 1.0 if 1 / ALIKE_SCALES <= largest <= ALIKE_SCALES else largest
            units = replace(units, scale=np.full_like(units.scale, common))
        ahead, u = last, units.coordinates(last.theta)
        ahead_u = last_u = u
        bend = objective.loss.smoothness
        t, L = 1.0, max(bend, 1e-3) if bend < np.inf else 1.0
        for n_iter in range(1, self.max_steps + 1):
            new, u, L = forward_backward(ahead, ahead_u, L, units)
            if np.vdot(ahead_u - u, u - last_u) > 0:  # uphill
                t = 1.0
            t, before = (1 + (1 + 4 * t * t) ** 0.5) / 2, t
            beyond = (before - 1) / t
            ahead = new.toward(new.theta - last.theta, new.scores - last.scores)(beyond)
            ahead_u, last_u = u + beyond * (u - last_u), u
            last = new
            if trace:
                trace(new)
            if n_iter % self.certify_every == 0 or n_iter == self.max_steps or new.separates:
                certificate = certify(new)
                if certificate <= self.tol or new.separates:
                    break
        return Solution.at(new, certificate, self.tol, n_iter)


def rounding(point: Point, units: Units) -> float:
    """Rounding error of the loss, due to scores of features far from 0, where x·w nearly cancels b."""
    terms = np.abs(point.objective.weight_part(point.theta)) @ np.abs(units.mean)
    slopes = np.abs(point.slopes) @ point.objective.weights
    return 4 * EPS * float(np.vdot(terms, slopes))


def forward_backward(
    point: Point, start: Array, L: float, units: Units
) -> tuple[Point, Array, float]:
    """The proximal step from a point, with L doubled until the bound holds: the new point, also in `units` as `start`
    is, and the L to try next.
    """
    objective, down = point.objective, units.pull(point.loss_gradient)
    unseen = max(UNSEEN_BELOW * abs(point.loss_value), rounding(point, units))
    scale = units.scale
    level: float | Array = objective.strength / (scale[0] if np.ptp(scale) == 0 else scale) ** 2

    def evaluate(t: float) -> tuple[Point, Array, Array]:
        """The new point for L/t, its u, and the step."""
        u = start - down * (t / L)
        W = objective.penalty.prox(objective.weight_part(u) / scale, level * (t / L))
        objective.weight_part(u)[...] = scale * W
        theta = units.move(u)
        objective.weight_part(theta)[...] = W  # equal weights stay equal
        return objective.at(without_common_shift(objective, theta)), u, u - start

    def bounded(seen: tuple[Point, Array, Array], t: float) -> bool:
        new, _, step = seen
        rise = new.loss_value - point.loss_value - float(np.vdot(down, step))
        return rise <= 0.5 * (L / t) * float(np.vdot(step, step)) + unseen

    (new, u, step), t = halve(evaluate, bounded, least=SMALLEST)
    hidden = 0.5 * (L / t) * float(np.vdot(step, step)) <= unseen
    return new, u, max((L if hidden else RELAX * L) / t, LEAST_BOUND)
