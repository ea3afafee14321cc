"""Stochastic gradient descent and Pegasos: steps on mini-batches of rows, reshuffled in each epoch.

The average of the iterates is returned. It is restarted after 1, 2, 4, 8, … epochs, so that it forgets the start; it
covers the epochs since then, at most half of all.   Polyak & Juditsky (1992), SIAM J. Control and Optimization 30
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
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
class Iterates:
    """Where a solver stands after some epochs."""

    theta: Array
    mean: Array  # of the iterates since the last restart, or the last one without averaging
    eta: float = 0.0
    t: int = 0  # steps
    averaged: int = 0
    epoch: int = 0

    def average(self) -> None:
        """Take θ into the mean."""
        self.averaged += 1
        self.mean += (self.theta - self.mean) / self.averaged


@dataclass(frozen=True)
class MiniBatches(SolverByPasses):
    """Base of both."""

    batch: int = 32
    random_state: Seed = None

    certify_every: ClassVar[int] = 5  # epochs between certificates, which cost a pass each

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        rng, n = np.random.default_rng(self.random_state), objective.design.n_rows
        state, slopes = self.begin(objective, start), np.zeros((*start.shape[:-1], n))
        point, dual, certificate = objective.at(start), None, np.inf
        while state.epoch < self.max_steps:
            order = rng.permutation(n)
            met = self.run_through(objective.take(order), state)
            if met is not None:
                slopes[..., order] += met
            objective.design.passes += 1
            if trace or state.epoch % self.certify_every == 0 or state.epoch == self.max_steps:
                point = objective.at(state.mean.copy())
                if trace:
                    trace(point)
                if met is not None:  # rows drawn too often leave the domain
                    dual = np.clip(slopes / state.t, -1, 1)
                certificate = certify(point, dual)
                if certificate <= self.tol:
                    break
        return Solution.at(point, certificate, self.tol, state.epoch, slopes=dual)

    def run_through(self, objective: Objective, state: Iterates) -> Array | None:
        """One epoch; the slopes met, each times n over the rows of its batch, if they are a dual point."""
        raise NotImplementedError

    def check(self) -> None:
        super().check()
        require_whole("batch", self.batch, 1)

    def batches(self, n_rows: int) -> Iterator[slice]:
        """Rows of equal batches: a small last one is a noisy one."""
        bounds = np.linspace(0, n_rows, -(-n_rows // self.batch) + 1).astype(int)
        return (slice(first, last) for first, last in pairwise(bounds))


@documented
@dataclass(frozen=True)
class StochasticGradient(MiniBatches):
    """Stochastic gradient descent on mini-batches.

    θ ← θ − η_t ∇P_batch(θ), with η_t = η, η/(1 + t/10) or η/√(1 + t/10) after t epochs.

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
    average: bool = True

    needs: ClassVar[str] = "convex"
    convex_only: ClassVar[bool] = False
    limit: ClassVar[int] = 200

    def begin(self, objective: Objective, start: Array) -> Iterates:
        return Iterates(start.copy(), start.copy(), self._first_rate(objective))

    def run_through(self, objective: Objective, state: Iterates) -> None:
        schedule, batches = SCHEDULES[self._named()[0]], list(self.batches(objective.design.n_rows))
        if state.epoch & (state.epoch - 1) == 0:  # a power of two
            state.mean, state.averaged = state.theta.copy(), 0
        for i, rows in enumerate(batches):
            rate = schedule(state.eta, state.epoch + i / len(batches))
            state.theta -= rate * objective.batch_gradient(rows, state.theta)
            if self.average:
                state.average()
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
class Pegasos(MiniBatches):
    """Stochastic subgradient steps on mini-batches, for the hinge loss with an L2 penalty.

    W ← (1 − 1/t) W − (1/(strength·t)) · mean over the batch of s_i x_i,   s_i ∈ ∂ℓ_i(z_i)

    With these steps W is always −Xᵀ(w a)/strength for the average a of all slopes so far, so a is approximately
    a dual point and gives the gap. The intercept is not penalized; its step is 1/√t.
    Shalev-Shwartz, Singer, Srebro & Cotter (2011), Mathematical Programming 127

    Parameters
    ----------
    max_iter : int or None, default=None
        Limit on the number of passes over the rows. None is 50.
    batch : int, default=16
        Number of rows in a mini-batch.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the order of rows. None draws a new one for each call.
    """

    batch: int = 16

    needs: ClassVar[str] = "piecewise-linear"
    takes: ClassVar[str] = "ridge"
    limit: ClassVar[int] = 50

    def begin(self, objective: Objective, start: Array) -> Iterates:
        return Iterates(start.copy(), start.copy())

    def run_through(self, objective: Objective, state: Iterates) -> Array:
        n, d = objective.design.n_rows, objective.design.n_features
        met, theta = np.zeros(n), state.theta
        state.epoch += 1
        if state.epoch & (state.epoch - 1) == 0:
            state.averaged = 0
        for rows in self.batches(n):
            state.t += 1
            z = objective.design.scores_of(rows, theta)
            met[rows] = n / (rows.stop - rows.start) * objective.loss.slopes(objective.y[rows], z)
            g = objective.design.pull_of(rows, objective.weights[rows] * met[rows])
            theta[:d] *= 1 - 1 / state.t
            theta[:d] -= g[:d] / (objective.strength * state.t)
            theta[d:] -= g[d:] / state.t**0.5
            state.average()
        return met
