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
from linclass.base.design_matrix import DesignMatrix
from linclass.base.documentation import documented
from linclass.base.numerics import halve
from linclass.base.parameters import is_list, is_number, is_whole
from linclass.linear.losses.base import MarginLoss
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.equal_rows import merge_rows
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import Solution, Solver, Trace


@documented
@dataclass(frozen=True)
class GradientDescent(Solver):
    """Gradient descent on all rows.

    Parameters
    ----------
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
        certificate = certify(point)
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
    theta, advance = point.theta.copy(), prepared_steps(objective, eta)
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
            if certify(point) <= tol:
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
        if n % 10 == 0 and (point.separates or certify(point) <= tol):
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


Advance = Callable[[Array, int], None]


def prepared_steps(objective: Objective, eta: float) -> Advance:
    """(theta, steps) ↦ theta after that many steps of −η∇P, in place, for many small steps."""
    loss, design = objective.loss, objective.design
    plain = not design.is_sparse and not objective.strength
    if plain and isinstance(loss, MarginLoss) and loss.slope_as_ufunc is not None:
        return affine_steps(loss, design, objective.y, objective.weights, eta)

    def advance(theta: Array, steps: int) -> None:
        for _ in range(steps):
            theta -= eta * objective.at(theta).gradient

    return advance


def affine_steps(
    loss: MarginLoss, design: DesignMatrix, y: Array, weights: Array, eta: float
) -> Advance:
    """(theta, steps) ↦ theta after that many steps of −η∇P, in place.

    With ℓ′(m) = a f(bm) and u_i = y_i [x_i 1], one step is  θ ← [−ηa w_i u_i | I] (f(b u_i·θ), θ):
    a product, f, a product. Equal rows u_i are merged. Two buffers (f, θ) alternate, so that no product reads
    what it writes; array methods are called because they cost less than np.dot.
    """
    assert loss.slope_as_ufunc is not None
    f, inner, outer = loss.slope_as_ufunc
    U, w = merge_rows(design.dense() * y[:, None], weights)
    rows, p = U.shape
    inward = np.ascontiguousarray(inner * U).dot
    outward = np.hstack([-eta * outer * (w[:, None] * U).T, np.eye(p)]).dot
    here, there = np.empty(rows + p), np.empty(rows + p)
    slopes, theta = here[:rows], here[rows:]
    next_slopes, next_theta = there[:rows], there[rows:]

    def advance(start: Array, steps: int) -> None:
        theta[:] = start
        for _ in range(steps // 2):
            inward(theta, slopes)
            f(slopes, slopes)
            outward(here, next_theta)
            inward(next_theta, next_slopes)
            f(next_slopes, next_slopes)
            outward(there, theta)
        if steps % 2:
            inward(theta, slopes)
            f(slopes, slopes)
            outward(here, next_theta)
        start[:] = next_theta if steps % 2 else theta

    return advance
