"""Stochastic gradient descent on mini-batches:  θ ← θ − η_t ∇P_batch(θ), rows reshuffled each epoch.

After t epochs `learning_rate` gives η_t as
  a number or {constant: η}   η
  {inverse: η}                η/(1 + t/10)
  {sqrt: η}  (default)        η/√(1 + t/10), η = 1/(largest curvature of a row)
The average of the iterates is returned. It is restarted after 1, 2, 4, 8, … epochs, so that it forgets the
start; it covers the epochs since then, at most half of all. With average=False the last iterate is returned.
Polyak & Juditsky (1992), SIAM J. Control and Optimization 30
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array, Seed
from linclass.base.documentation import documented
from linclass.base.parameters import is_number, require_whole
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution, SolverByPasses, Trace

SCHEDULES: dict[str, Callable[[float, float], float]] = {
    "constant": lambda eta, t: eta,
    "inverse": lambda eta, t: eta / (1 + t / 10),
    "sqrt": lambda eta, t: eta / (1 + t / 10) ** 0.5,
}


@dataclass
class Descent:
    """Where stochastic gradient descent stands after some epochs."""

    theta: Array
    mean: Array  # of the iterates since the last restart, or the last one without averaging
    eta: float
    averaged: int = 0
    epoch: int = 0


@documented
@dataclass(frozen=True)
class StochasticGradient(SolverByPasses):
    """Stochastic gradient descent on mini-batches.

    Parameters
    ----------
    max_iter : int or None, default=None
        Limit on the number of epochs. None is 200.
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
    limit: ClassVar[int] = 200
    certify_every: ClassVar[int] = 5  # epochs between certificates, which cost a pass each

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        rng = np.random.default_rng(self.random_state)
        state = self.begin(objective, start)
        point, certificate = objective.at(start), np.inf
        while state.epoch < self.max_steps:
            self.run_through(objective.take(rng.permutation(objective.design.n_rows)), state)
            objective.design.passes += 1
            if trace or state.epoch == self.max_steps or state.epoch % self.certify_every == 0:
                point = objective.at(state.mean.copy())
                if trace:
                    trace(point)
                certificate = certify(point)
                if certificate <= self.tol:
                    break
        return Solution.at(point, certificate, self.tol, state.epoch)

    def begin(self, objective: Objective, start: Array) -> Descent:
        return Descent(start.copy(), start.copy(), self._first_rate(objective))

    def run_through(self, objective: Objective, state: Descent) -> None:
        schedule = SCHEDULES[self._named()[0]]
        n_rows = objective.design.n_rows
        n_batches = -(-n_rows // self.batch)
        # bounds of equal batches: a small last one is a noisy one
        bounds = np.linspace(0, n_rows, n_batches + 1).astype(int)
        if state.epoch & (state.epoch - 1) == 0:  # a power of two
            state.mean, state.averaged = state.theta.copy(), 0
        for i in range(n_batches):
            rows = slice(bounds[i], bounds[i + 1])
            rate = schedule(state.eta, state.epoch + i / n_batches)
            state.theta -= rate * objective.batch_gradient(rows, state.theta)
            state.averaged += 1
            if self.average:
                state.mean += (state.theta - state.mean) / state.averaged
        if not self.average:
            state.mean = state.theta.copy()
        state.epoch += 1

    def check(self) -> None:
        super().check()
        name, eta = self._named()
        if name not in SCHEDULES:
            raise ValueError(
                f"learning_rate is {self.learning_rate!r}; its schedule is one of {', '.join(SCHEDULES)}."
            )
        if eta is not None and not (is_number(eta) and 0 < eta < np.inf):
            raise ValueError(
                f"learning_rate is {self.learning_rate!r}; give the schedule a number above 0."
            )
        require_whole("batch", self.batch, 1)

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
