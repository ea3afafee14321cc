"""Pegasos: stochastic subgradient steps of size 1/(strength·t) on mini-batches.

    W ← (1 − 1/t) W − (1/(strength·t)) · mean over the batch of s_i x_i,   s_i ∈ ∂ℓ_i(z_i)

With these steps W is always −Xᵀ(w a)/strength for the average a of all slopes so far, so a is approximately
a dual point and gives the gap. The intercept is not penalized; its step is 1/√t. The average of the later
half of the iterates is returned.
Shalev-Shwartz, Singer, Srebro & Cotter (2011), Mathematical Programming 127
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from linclass.numerics import Array
from linclass.objective.objective import Objective
from linclass.solvers.base import Solution, Solver, Trace


@dataclass(frozen=True)
class Pegasos(Solver):
    """Stochastic subgradient steps on mini-batches, for the hinge loss with an L2 penalty.

    Parameters
    ----------
    tol : float, default=1e-6
        Tolerance: the solver stops when its certificate is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of passes over the rows. None is 50.
    batch : int, default=16
        Number of rows in a mini-batch.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the order of rows. None draws a new one for each call.
    """

    batch: int = 16
    random_state: Any = None

    needs: ClassVar[str] = "piecewise-linear"
    takes: ClassVar[str] = "curved"
    limit: ClassVar[int] = 50  # passes over the rows
    look_every: ClassVar[int] = 5

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        rng = np.random.default_rng(self.random_state)
        n, d = objective.design.n_rows, objective.design.n_features
        theta, mean, averaged, t = start.copy(), start.copy(), 0, 0
        met = np.zeros(n)
        bounds = np.linspace(0, n, -(-n // self.batch) + 1).astype(int)
        point, dual, certificate = objective.at(start), met, np.inf
        for epoch in range(1, self.n_steps + 1):
            if epoch & (epoch - 1) == 0:  # 1, 2, 4, …: restart the mean
                averaged = 0
            order = rng.permutation(n)
            shuffled = objective.take(order)
            for first, last in pairwise(bounds):
                t += 1
                rows = slice(first, last)
                z = shuffled.design.scores_of(rows, theta)
                s = shuffled.loss.slopes(shuffled.y[rows], z)
                push = n / (last - first) * s
                g = shuffled.design.pull_of(rows, shuffled.weights[rows] * push)
                met[order[rows]] += push
                theta[:d] *= 1 - 1 / t
                theta[:d] -= g[:d] / (objective.strength * t)
                theta[d:] -= g[d:] / t**0.5
                averaged += 1
                mean += (theta - mean) / averaged
            objective.design.passes += 1
            if trace or epoch % self.look_every == 0 or epoch == self.n_steps:
                point = objective.at(mean.copy())
                if trace:
                    trace(point)
                dual = np.clip(met / t, -1, 1)  # rows drawn too often leave the domain
                certificate = objective.certificate(point, dual)
                if certificate <= self.tol:
                    break
        return Solution.at(point, certificate, self.tol, epoch, slopes=dual)

    def check(self) -> None:
        super().check()
        if self.batch < 1:
            raise ValueError(f"batch is {self.batch}; a batch has at least 1 row.")
