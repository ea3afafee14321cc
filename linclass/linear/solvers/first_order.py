"""First-order methods: gradient descent, stochastic gradient descent and the subgradient method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array, Seed
from linclass.base.design_matrix import DesignMatrix
from linclass.base.documentation import documented
from linclass.base.numerics import halve
from linclass.base.parameters import is_number, require_whole
from linclass.linear.losses.base import MarginLoss
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import equal_factors
from linclass.linear.objective.objective import Objective, Point, distinct_rows
from linclass.linear.solvers.base import (
    Solution,
    Solver,
    SolverByPasses,
    Trace,
)


@documented
@dataclass(frozen=True)
class GradientDescent(Solver):
    """Gradient descent on all rows.

    θ ← θ − η ∇P(θ), with a constant η or the largest of a halving sequence with sufficient decrease (Armijo), which
    starts at twice the last one.   Nocedal & Wright (2006), §3.1

    Parameters
    ----------
    learning_rate : float, str or dict, default='backtracking'
        Step size η: a number (constant step), {'constant': η}, or 'backtracking'.
    """

    learning_rate: Any = "backtracking"

    needs: ClassVar[str] = "smooth"
    convex_only: ClassVar[bool] = False
    limit: ClassVar[int] = 10_000

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        rule, eta = self._rule()
        steps, last, tested_every = RULES[rule](objective, eta), self.max_steps, TESTED_EVERY[rule]
        if rule == "constant" and not self.tol:
            tested_every = 0
        at_once = 1 if trace else tested_every or last
        point, n_iter = objective.at(start.copy()), 0
        while n_iter < last:
            count = min(at_once, last - n_iter)
            point, n_iter = steps(point, count), n_iter + count
            if trace:
                trace(point)
            if tested_every and n_iter % tested_every == 0:
                separates = rule == "backtracking" and point.separates
                if separates or certify(point) <= self.tol:
                    break
        point = objective.at(point.theta)
        return Solution.at(point, certify(point), self.tol, n_iter)

    def check(self) -> None:
        super().check()
        rule, eta = self._rule()
        if rule not in RULES:
            raise ValueError(f"gradient_descent has no step rule {rule!r}; use {', '.join(RULES)}.")
        if not (is_number(eta) and 0 < eta < np.inf):
            raise ValueError(
                f"learning_rate is {self.learning_rate!r}; give the {rule} step a number above 0."
            )

    def _rule(self) -> tuple[str, Any]:
        if isinstance(self.learning_rate, Mapping) and len(self.learning_rate) == 1:
            return next(iter(self.learning_rate.items()))
        if isinstance(self.learning_rate, str):
            return self.learning_rate, 1.0 if self.learning_rate == "backtracking" else None
        return "constant", self.learning_rate


Steps = Callable[[Point, int], Point]  # the point after so many steps


def constant_steps(objective: Objective, eta: float) -> Steps:
    advance = prepared_steps(objective, eta)

    def steps(point: Point, count: int) -> Point:
        theta = point.theta.copy()
        advance(theta, count)
        return objective.at(theta)

    return steps


def backtracking_steps(objective: Objective, eta: float) -> Steps:
    def steps(point: Point, count: int) -> Point:
        nonlocal eta
        for _ in range(count):
            g = point.gradient
            enough = partial(enough_decrease, point, float(np.vdot(g, g)))
            point, eta = halve(point.toward(-g), enough, 2 * eta, least=1e-300)
        return point

    return steps


def enough_decrease(old: Point, descent: float, new: Point, eta: float) -> bool:
    """Half of the predicted decrease; if rounding hides it, the derivative must not have changed sign."""
    if eta * descent > 1e-13 * abs(old.value):
        return new.value <= old.value - 0.5 * eta * descent
    return float(np.vdot(new.gradient, old.gradient)) >= 0


RULES = {"constant": constant_steps, "backtracking": backtracking_steps}
TESTED_EVERY = {"constant": 100, "backtracking": 10}  # steps between certificates


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
    U, w = design.dense() * y[:, None], weights
    if (found := distinct_rows(U)) is not None:
        U, w = U[found[0]], np.bincount(found[1], w)
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


SCHEDULES: dict[str, Callable[[float, float], float]] = {
    "constant": lambda eta, t: eta,
    "inverse": lambda eta, t: eta / (1 + t / 10),
    "sqrt": lambda eta, t: eta / (1 + t / 10) ** 0.5,
}


@dataclass
class Iterates:
    """The state of a solver after some epochs."""

    theta: Array
    mean: Array  # of the iterates since the last restart, or the last one without averaging
    eta: float
    averaged: int = 0
    epoch: int = 0

    def average(self) -> None:
        """Take θ into the mean."""
        self.averaged += 1
        self.mean += (self.theta - self.mean) / self.averaged


@documented
@dataclass(frozen=True)
class StochasticGradient(SolverByPasses):
    """Stochastic gradient descent on mini-batches.

    θ ← θ − η_t ∇P_batch(θ), with η_t = η, η/(1 + t/10) or η/√(1 + t/10) after t epochs. The rows are reshuffled in
    each epoch. The average of the iterates is restarted after 1, 2, 4, 8, … epochs, so that it forgets the start and
    covers at most half of the epochs.   Polyak & Juditsky (1992), SIAM J. Control and Optimization 30

    Parameters
    ----------
    learning_rate : float, dict or None, default=None
        Step size: a number (constant), {'constant': η}, {'inverse': η} or {'sqrt': η}. None is
        'sqrt' with η = 1/(largest curvature of a row).
    batch : int, default=32
        Number of rows in a mini-batch.
    average : bool, default=True
        Whether to return the average of the iterates instead of the last one.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the order of rows. None draws a new one for each call.
    """

    learning_rate: Any = None
    batch: int = 32
    average: bool = True
    random_state: Seed = None

    needs: ClassVar[str] = "convex"
    convex_only: ClassVar[bool] = False
    limit: ClassVar[int] = 200  # epochs
    certify_every: ClassVar[int] = 5  # epochs between certificates, which cost a pass each

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        rng, n = np.random.default_rng(self.random_state), objective.design.n_rows
        state, point, certificate = self.begin(objective, start), objective.at(start), np.inf
        while state.epoch < self.max_steps:
            self.run_through(objective.take(rng.permutation(n)), state)
            objective.design.passes += 1
            if trace or state.epoch % self.certify_every == 0 or state.epoch == self.max_steps:
                point = objective.at(state.mean.copy())
                if trace:
                    trace(point)
                certificate = certify(point)
                if certificate <= self.tol:
                    break
        return Solution.at(point, certificate, self.tol, state.epoch)

    def begin(self, objective: Objective, start: Array) -> Iterates:
        return Iterates(start.copy(), start.copy(), self._first_rate(objective))

    def run_through(self, objective: Objective, state: Iterates) -> None:
        n, schedule = objective.design.n_rows, SCHEDULES[self._named()[0]]
        # equal batches: a small last one is a noisy one
        bounds = np.linspace(0, n, -(-n // self.batch) + 1).astype(int)
        if state.epoch & (state.epoch - 1) == 0:  # a power of two
            state.mean, state.averaged = state.theta.copy(), 0
        for i, (first, last) in enumerate(pairwise(bounds)):
            rows, rate = (
                slice(first, last),
                schedule(state.eta, state.epoch + i / (len(bounds) - 1)),
            )
            state.theta -= rate * objective.batch_gradient(rows, state.theta)
            if self.average:
                state.average()
        if not self.average:
            state.mean = state.theta.copy()
        state.epoch += 1

    def check(self) -> None:
        super().check()
        require_whole("batch", self.batch, 1)
        name, eta = self._named()
        if name not in SCHEDULES:
            raise ValueError(
                f"learning_rate is {self.learning_rate!r}; its schedule is one of {', '.join(SCHEDULES)}."
            )
        if eta is not None and not (is_number(eta) and 0 < eta < np.inf):
            raise ValueError(
                f"learning_rate is {self.learning_rate!r}; give the schedule a number above 0."
            )

    def _named(self) -> tuple[str, Any]:
        if isinstance(self.learning_rate, Mapping) and len(self.learning_rate) == 1:
            return next(iter(self.learning_rate.items()))
        return ("sqrt", None) if self.learning_rate is None else ("constant", self.learning_rate)

    def _first_rate(self, objective: Objective) -> float:
        _, eta = self._named()
        if eta is not None:
            return float(eta)
        bend = objective.loss.smoothness if np.isfinite(objective.loss.smoothness) else 1.0
        steepest = float(objective.design.squared_row_norms().max())
        return 1 / (bend * steepest + float(np.max(objective.curvature)))


@documented
@dataclass(frozen=True)
class Subgradient(Solver):
    """The subgradient method, for any convex loss.

    θ ← θ − η_t g_t,  g_t ∈ ∂P(θ_t).  With a penalty of strength λ on W, η_t = 2/(λ(t + 1)) makes W the average of all
    −Xᵀ(w s)/λ so far with weights t = 1, 2, …. The same average of the slopes s is then a dual point, and its gap to
    the averaged iterate is O(1/(λt)). Without a penalty, η_t = 1/(‖g‖√t) converges, without such a certificate.
    Lacoste-Julien, Schmidt & Bach (2012), arXiv:1212.2002; Nesterov (2004), §3.2.3
    """

    needs: ClassVar[str] = "convex"
    limit: ClassVar[int] = 10_000
    certify_every: ClassVar[int] = 100

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if (unit := equal_factors(objective)) is not None:  # else one step is too long for others
            return self.in_other_coordinates(unit, self.solve, objective, start, trace)
        theta = start.copy()
        best, certificate = objective.at(theta), np.inf
        mean, mass = np.zeros_like(theta), 0.0
        dual = np.zeros_like(best.scores)
        strong = float(np.min(objective.curvature))
        if objective.strength and best.value == 0:  # nothing is below
            return Solution.at(best, certify(best), self.tol, 0, slopes=best.slopes)
        for t in range(1, self.max_steps + 1):
            point = objective.at(theta)
            g, s = point.gradient, point.slopes
            if strong:  # later iterates have larger weights
                eta, weight = 2 / (strong * (t + 1)), float(t)
            else:
                eta = 1 / (max(float(np.linalg.norm(g)), 1e-300) * t**0.5)
                weight = eta
            mass += weight
            mean += weight / mass * (theta - mean)
            dual = dual + weight / mass * (s - dual)
            theta = theta - eta * g
            if trace:
                trace(point)
            if t % self.certify_every == 0 or t == self.max_steps:
                average = objective.at(mean.copy())
                best = min(best, average, point, key=lambda p: (p.value, np.abs(p.slopes).sum()))
                certificate = certify(best, dual)
                if certificate <= self.tol:
                    break
        return Solution.at(best, certificate, self.tol, t, slopes=dual if strong else None)
