"""Subgradient method for losses with a kink:  θ ← θ − η_t g_t,  g_t ∈ ∂P(θ_t).

With a penalty of strength λ on W, η_t = 2/(λ(t + 1)) makes W the average of all −Xᵀ(w s)/λ so far with weights
t = 1, 2, …. The same average of the slopes s is then a dual point, and its gap to the averaged iterate is O(1/(λt)).
Without a penalty, η_t = 1/(‖g‖√t) converges, without a certificate of that kind.
Lacoste-Julien, Schmidt & Bach (2012), arXiv:1212.2002; Nesterov (2004), §3.2.3"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array, Seed
from linclass.base.documentation import documented
from linclass.base.parameters import require_whole
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import equal_factors
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import (
    Solution,
    Solver,
    SolverByPasses,
    Trace,
    in_other_coordinates,
)

# Pegasos: stochastic subgradient steps of size 1/(strength·t) on mini-batches.
#
#     W ← (1 − 1/t) W − (1/(strength·t)) · mean over the batch of s_i x_i,   s_i ∈ ∂ℓ_i(z_i)
#
# With these steps W is always −Xᵀ(w a)/strength for the average a of all slopes so far, so a is approximately
# a dual point and gives the gap. The intercept is not penalized; its step is 1/√t. The average of the iterates
# since epoch 1, 2, 4, 8, … began, whichever is the last, is returned.
# Shalev-Shwartz, Singer, Srebro & Cotter (2011), Mathematical Programming 127


@dataclass
class Iterates:
    """Where Pegasos stands after t steps."""

    theta: Array
    mean: Array  # of the iterates since the last restart
    t: int = 0
    averaged: int = 0
    epoch: int = 0


@documented
@dataclass(frozen=True)
class Pegasos(SolverByPasses):
    """Stochastic subgradient steps on mini-batches, for the hinge loss with an L2 penalty.

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
    random_state: Seed = None

    needs: ClassVar[str] = "piecewise-linear"
    takes: ClassVar[str] = "ridge"
    limit: ClassVar[int] = 50  # passes over the rows
    certify_every: ClassVar[int] = 5

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        rng = np.random.default_rng(self.random_state)
        state, n = self.begin(objective, start), objective.design.n_rows
        met = np.zeros(n)
        point, dual, certificate = objective.at(start), met, np.inf
        while state.epoch < self.max_steps:
            order = rng.permutation(n)
            met[order] += self.run_through(objective.take(order), state)
            objective.design.passes += 1
            if trace or state.epoch % self.certify_every == 0 or state.epoch == self.max_steps:
                point = objective.at(state.mean.copy())
                if trace:
                    trace(point)
                dual = np.clip(met / state.t, -1, 1)  # rows drawn too often leave the domain
                certificate = certify(point, dual)
                if certificate <= self.tol:
                    break
        return Solution.at(point, certificate, self.tol, state.epoch, slopes=dual)

    def begin(self, objective: Objective, start: Array) -> Iterates:
        return Iterates(start.copy(), start.copy())

    def run_through(self, objective: Objective, state: Iterates) -> Array:
        """The slopes met, each times n over the rows of its batch."""
        n, d = objective.design.n_rows, objective.design.n_features
        met, theta = np.zeros(n), state.theta
        state.epoch += 1
        if state.epoch & (state.epoch - 1) == 0:  # 1, 2, 4, …: restart the mean
            state.averaged = 0
        bounds = np.linspace(0, n, -(-n // self.batch) + 1).astype(int)
        for first, last in pairwise(bounds):
            state.t += 1
            rows = slice(first, last)
            z = objective.design.scores_of(rows, theta)
            s = objective.loss.slopes(objective.y[rows], z)
            met[rows] = n / (last - first) * s
            g = objective.design.pull_of(rows, objective.weights[rows] * met[rows])
            theta[:d] *= 1 - 1 / state.t
            theta[:d] -= g[:d] / (objective.strength * state.t)
            theta[d:] -= g[d:] / state.t**0.5
            state.averaged += 1
            state.mean += (theta - state.mean) / state.averaged
        return met

    def check(self) -> None:
        super().check()
        require_whole("batch", self.batch, 1)


@documented
@dataclass(frozen=True)
class Subgradient(Solver):
    """The subgradient method, for any convex loss.

    Parameters
    ----------
    max_iter : int or None, default=None
        Limit on the number of iterations. None is 10000.
    """

    needs: ClassVar[str] = "convex"
    limit: ClassVar[int] = 10_000
    certify_every: ClassVar[int] = 100

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if (unit := equal_factors(objective)) is not None:  # else one step is too long for others
            return in_other_coordinates(unit, self.solve, objective, start, trace)
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
