"""Newton's method on many small problems with the same rows at once (objective/stacked_objective.py).

Each problem has its own step halving and its own stopping test, and leaves the stack once it has converged, so
that all of them share the matrix products of a step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linclass.base.arrays import Array
from linclass.base.line_search import decreased
from linclass.linear.objective.stacked_objective import StackedObjective

ENOUGH = 0.01  # of tol: convergence is quadratic, so the last digits cost little


@dataclass(frozen=True)
class Optima:
    """For each problem: theta (B, C, p) of C scores, objective, relative gap, number of steps."""

    theta: Array
    objective: Array
    certificate: Array
    n_iter: Array


def minimize_stack(
    stack: StackedObjective,
    weights: Array,
    strengths: Array,
    tol: float,
    max_iter: int,
    start: Array | None = None,
) -> Optima:
    """weights (B, n), each summing to 1; strengths (B, d), positive; start (B, C, p)."""
    B, C, p = len(weights), stack.C, stack.p
    best = np.zeros((C, B, p)) if start is None else start.swapaxes(0, 1).copy()
    step, t = np.zeros_like(best), np.ones(B)
    value, slope = np.full(B, np.inf), np.zeros(B)
    gap, n_iter, met = np.full(B, np.inf), np.zeros(B, dtype=int), np.zeros(B, dtype=bool)
    at = np.arange(B)  # problems that have not converged
    for k in range(max_iter + 1):
        theta = best[:, at] + t[at, None] * step[:, at]
        everyone = len(at) == B  # whose weights need no copy
        point = stack.at(theta, weights if everyone else weights[at], strengths[at])
        lower = decreased(point.value, value[at], t[at] * slope[at])
        new, n_iter[at] = at[lower], k
        best[:, new], value[new] = theta[:, lower], point.value[lower]
        # the gap after a step is about the square of its decrease
        near = (slope[at] ** 2 <= 10 * tol * point.value**2) & (k > 0)
        due = lower & (near | (k == max_iter))
        gap[at[due]] = point.certificate(np.flatnonzero(due), tol if k < max_iter else np.inf)
        done = (gap[at] <= ENOUGH * tol) | (met[at] & (gap[at] <= tol)) | (k == max_iter)
        met[at], t[at[~lower]] = gap[at] <= tol, t[at[~lower]] / 2
        moving = np.flatnonzero(lower & ~done)
        new_step, new_slope = point.newton_step(moving)
        if not k and start is None and stack.C == 1 and len(moving) == len(at):
            new_step, new_slope = point.lengthened(new_step)
        step[:, at[moving]], slope[at[moving]] = new_step, new_slope
        t[at[moving]] = 1
        at = at[~done]
        if not len(at):
            break
    return Optima(best.swapaxes(0, 1), value, gap, n_iter)
