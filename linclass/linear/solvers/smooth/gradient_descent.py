"""Gradient descent on the mean objective:  θ ← θ − η ∇P(θ).

The option `learning_rate` defines η:
  a number or {constant: η}    θ − η ∇P
  {unit: η}                    θ − η ∇P/‖∇P‖, so every step has length η
  "backtracking" (default)     the largest η of a halving sequence with sufficient decrease (Armijo),
                               starting at twice the last one.   Nocedal & Wright (2006), §3.1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array
from linclass.base.line_search import halve
from linclass.base.parameters import is_list, is_number, is_whole
from linclass.linear.objective.objective import Objective
from linclass.linear.objective.point import Point
from linclass.linear.solvers.base import Solution, Solver, Trace


@dataclass(frozen=True)
class GradientDescent(Solver):
    """Gradient descent on all rows.

    Parameters
    ----------
    tol : float, default=1e-6
        Tolerance: the solver stops when its certificate is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of iterations. None is 10000.
    learning_rate : float, str or dict, default='backtracking'
        Step size η: a number (constant step), {'constant': η}, {'unit': η} for steps of length η, or
        'backtracking'.
    record : tuple of int, default=()
        Iterations after which the parameters are kept, in the attribute `path_` of the estimator.
    """

    learning_rate: Any = "backtracking"
    record: tuple[int, ...] = field(default=())  # iterations whose theta is kept in `path_`

    needs: ClassVar[str] = "smooth"
    convex_only: ClassVar[bool] = False
    limit: ClassVar[int] = 10_000

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        rule, eta = self._rule()
        advance = RULES[rule]
        path = {0: start.copy()} if 0 in self.record else {}
        point, done, n_iter = objective.at(start.copy()), False, 0
        stops = sorted({s for s in self.record if 0 < s <= self.max_steps} | {self.max_steps})
        for stop in stops:
            if not done:
                steps = range(n_iter + 1, stop + 1)
                point, eta, n_iter, done = advance(objective, point, eta, steps, self.tol, trace)
            path |= {stop: point.theta.copy()} if stop in self.record else {}
        point = objective.at(point.theta)
        certificate = objective.certificate(point)
        extra = {"path_": path} if len(self.record) else {}
        return Solution.at(point, certificate, self.tol, n_iter, extra=extra)

    def check(self) -> None:
        super().check()
        rule, eta = self._rule()
        if rule not in RULES:
            raise ValueError(f"gradient_descent has no step rule {rule!r}; use {', '.join(RULES)}.")
        if not (is_number(eta) and 0 < eta < np.inf):
            raise ValueError(
                f"learning_rate is {self.learning_rate!r}; give the {rule} step a number above 0."
            )
        if not (is_list(self.record) and all(map(is_whole, self.record))):
            raise ValueError(f"record is {self.record!r}; give a list of numbers of iterations.")

    def _rule(self) -> tuple[str, Any]:
        if isinstance(self.learning_rate, Mapping) and len(self.learning_rate) == 1:
            return next(iter(self.learning_rate.items()))
        if isinstance(self.learning_rate, str):
            return self.learning_rate, 1.0 if self.learning_rate == "backtracking" else None
        return "constant", self.learning_rate


End = tuple[Point, float, int, bool]  # with η, iterations, whether it has converged


def constant_step_descent(
    objective: Objective, point: Point, eta: float, steps: range, tol: float, trace: Trace | None
) -> End:
    """Steps of −η∇P with preallocated memory; convergence is checked every 100 steps."""
    theta, advance = point.theta.copy(), objective.prepared_steps(eta)
    begun, last = steps.start - 1, steps.stop - 1
    every = 1 if trace else 100 if tol > 0 else last
    while begun < last:
        done = min(last, begun - begun % every + every)
        advance(theta, done - begun)
        begun = done
        if trace or (tol > 0 and done % every == 0):
            point = objective.at(theta.copy())
            if trace:
                trace(point)
            if objective.certificate(point) <= tol:
                return point, eta, done, True
    return objective.at(theta), eta, last, False


def unit(
    objective: Objective, point: Point, eta: float, steps: range, tol: float, trace: Trace | None
) -> End:
    for _ in steps:
        g = point.gradient
        length = np.sqrt(np.vdot(g, g))
        if length > 0:
            point = objective.at(point.theta - eta / length * g)
        if trace:
            trace(point)
    return point, eta, steps[-1], False


def backtracking(
    objective: Objective, point: Point, eta: float, steps: range, tol: float, trace: Trace | None
) -> End:
    for n in steps:
        g = point.gradient
        descent = float(np.vdot(g, g))
        enough = partial(enough_decrease, point, descent)
        point, eta = halve(point.toward(-g), enough, 2 * eta, least=1e-300)
        if trace:
            trace(point)
        if n % 10 == 0 and (point.separates or objective.certificate(point) <= tol):
            return point, eta, n, True
    return point, eta, steps[-1], False


def enough_decrease(old: Point, descent: float, new: Point, eta: float) -> bool:
    """Half of the predicted decrease; if rounding hides it, the derivative must not have changed sign."""
    if eta * descent > 1e-13 * abs(old.value):
        return new.value <= old.value - 0.5 * eta * descent
    return float(np.vdot(new.gradient, old.gradient)) >= 0


RULES: dict[str, Callable[[Objective, Point, float, range, float, Trace | None], End]] = {
    "constant": constant_step_descent,
    "unit": unit,
    "backtracking": backtracking,
}
