"""Newton's method on many small problems with the same rows at once:

    P_b(u) = Σ_i w_bi ℓ(y_i, z_bi) + ½ Σ_j λ_bj u_bj²,    z_b = X u_b + β_b

Problem b has its own row weights, 0 for rows that it leaves out, and its own strength for each feature,
since rescaling a feature by s is the same as multiplying its λ by s². All problems share X: their scores
are one matrix product, and their Hessians  Σ_i d_bi x_i x_iᵀ  are another, of d with the matrix whose rows
are x_i x_iᵀ. The certificate is the duality gap, as for a single fit: with the slopes s̃ = s + ∇²ℓ δ, where
the Newton step δ of the intercept makes them sum to 0, and the gradient r̃ that is left, the gap is
Σ w (ℓ(z) + ℓ*(s̃) − s̃ z) + ½ Σ_j r̃_j²/λ_j. Each
problem has its own step halving and its own stopping test, and leaves the stack once it has converged, so that all of
them share the matrix products of a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linclass.base.arrays import Array, Matrix
from linclass.base.numerics import decreased
from linclass.linear.losses.base import Loss
from linclass.linear.objective.certificate import gap_of_parts, l2_part, relative
from linclass.linear.objective.objective import common_shift
from linclass.linear.solvers.newton import lengthened

ENOUGH = 0.01  # of tol: convergence is quadratic, so the last digits cost little


class StackedObjective:
    """Rows that many problems share. Theta is (C, B, p) here, score by score."""

    def __init__(self, X: Array, intercept: bool, loss: Loss, y: Array):
        self.loss, self.y, self.C = loss, y, loss.n_scores
        n, self.d = X.shape
        self.intercept = intercept
        self.rows = np.column_stack([X, np.ones(n)]) if intercept else X
        self.p = p = self.rows.shape[1]
        upper = np.triu_indices(p)
        self.XX = self.rows[:, upper[0]] * self.rows[:, upper[1]]  # upper triangle of x_i x_iᵀ
        self.place = np.empty((p, p), dtype=np.intp)
        self.place[upper] = self.place[upper[::-1]] = np.arange(len(upper[0]))
        self._repeated = y

    def targets(self, B: int) -> Array:
        """y of all rows of B problems, one problem after another."""
        size = B * len(self.y)
        if len(self._repeated) < size:
            self._repeated = np.tile(self.y, B)
        return self._repeated[:size]

    def at(self, theta: Array, weights: Array, strengths: Array) -> StackedPoint:
        return StackedPoint(self, theta, weights, strengths)

    @cached_property
    def values_at_zero(self) -> Array:
        """The loss of each row at scores of 0."""
        shape = (self.C, len(self.rows)) if self.C > 1 else len(self.rows)
        values: Array = self.loss.jet(self.y, np.zeros(shape))[0]
        return values


class StackedPoint:
    """Value, slopes and curvatures of some problems at theta, and what follows from them."""

    def __init__(self, stack: StackedObjective, theta: Array, weights: Array, strengths: Array):
        self.stack, self.theta, self.weights, self.strengths = stack, theta, weights, strengths
        C, B, p = theta.shape
        n, d, loss = len(stack.rows), stack.d, stack.loss
        shape = (C, B * n) if C > 1 else (B * n,)
        self.y = stack.targets(B)
        if theta.any():
            self.z = (theta.reshape(C * B, p) @ stack.rows.T).reshape(shape)
            values, slopes, curvatures = loss.jet(self.y, self.z)
            assert curvatures is not None  # the loss is twice smooth
        else:  # all problems are alike
            self.z = np.zeros(shape)
            jet = loss.jet(stack.y, np.zeros((C, n) if C > 1 else n))
            values, slopes, curvatures = (np.tile(part, B) for part in jet if part is not None)
        self.values, self.slopes, self.curvatures = values, slopes, curvatures
        self._curvatures: dict[tuple[int, int], Array] = {}
        u = theta[..., :d]
        self.value = np.einsum("bi,bi->b", weights, values.reshape(B, n))
        self.value += 0.5 * np.einsum("cbj,bj->b", u**2, strengths)
        ws = slopes.reshape(C, B, n) * weights
        self.gradient = (ws.reshape(C * B, n) @ stack.rows).reshape(C, B, p)
        self.gradient[..., :d] += strengths * u

    def certificate(self, which: Array, tol: float) -> Array:
        """Relative duality gaps; +∞ where the gradient's part alone exceeds tol."""
        stack, d, value = self.stack, self.stack.d, self.value[which]
        g = self.gradient[:, which]
        C, B, _ = g.shape
        rest, delta = g[..., :d], np.zeros((C, B))
        if stack.intercept:
            border = np.empty((C, C, B, stack.p))  # ∂²P/∂β_k∂u_l, and at the end ∂²P/∂β_k∂β_l
            for k in range(C):
                for l in range(k + 1):
                    border[k, l] = border[l, k] = self.curvature(k, l, which) @ stack.rows
            M = np.moveaxis(border[..., d], 2, 0)
            delta = -np.linalg.solve(self._regular(M), g[..., d].T[:, :, None])[:, :, 0].T
            rest = rest + np.einsum("klbj,kb->lbj", border[..., :d], delta)
        left = l2_part(rest, self.strengths[which]).sum(axis=0)
        gap = np.full(B, np.inf)
        near = np.flatnonzero(left <= tol * np.abs(value))
        if len(near):
            rows = self._rows(which[near])
            moves = delta[:, near].repeat(len(stack.rows), axis=1)
            s, z = self.slopes[..., rows], self.z[..., rows]
            s = s + stack.loss.curve(self.curvatures[..., rows], moves.reshape(s.shape))
            each = stack.loss.conjugates(self.y[rows], s) + self.values[rows]
            each -= s * z if C == 1 else (s * z).sum(axis=0)
            weights = self.weights[which[near]]
            fenchel_young = np.einsum("bi,bi->b", weights, each.reshape(weights.shape))
            at_zero = weights @ stack.values_at_zero
            gap[near] = relative(gap_of_parts(fenchel_young, left[near]), value[near], at_zero)
        return gap

    def lengthened(self, step: Array) -> tuple[Array, Array]:
        """(Newton's step from 0 of one score, lengthened for a better start; directional derivative along it)."""
        stack, g = self.stack, self.gradient[0]
        longer = lengthened(stack.loss, stack.y, self.weights, g, step[0], stack.intercept)
        return longer[None], (g * longer).sum(axis=-1)

    def newton_step(self, which: Array) -> tuple[Array, Array]:
        """(−H⁻¹ g, directional derivative along it)"""
        stack, g = self.stack, self.gradient[:, which]
        C, B, p = g.shape
        H = np.empty((B, C, p, C, p))
        for k in range(C):
            for l in range(k + 1):
                packed = self.curvature(k, l, which) @ stack.XX
                H[:, k, :, l] = H[:, l, :, k] = packed[:, stack.place]
        diagonal = np.einsum("bkjkj->bkj", H)[..., : stack.d]
        diagonal += self.strengths[which][:, None]
        if stack.intercept:
            H[:, :, -1, :, -1] = self._regular(H[:, :, -1, :, -1])
        right = g.swapaxes(0, 1).reshape(B, C * p, 1)
        s = -np.linalg.solve(H.reshape(B, C * p, C * p), right).reshape(B, C, p).swapaxes(0, 1)
        return s, np.einsum("cbj,cbj->b", g, s)

    def _regular(self, M: Array) -> Array:
        """M (B, C, C) of the intercepts; regularized if the loss is invariant to a common shift of all scores."""
        return M + common_shift(M) if self.stack.loss.shift_invariant else M

    def _rows(self, which: Array) -> Matrix:
        """Positions of the scores of some problems."""
        B, n = self.weights.shape
        if len(which) == B:
            return slice(None)
        return (which[:, None] * n + np.arange(n)).ravel()

    def curvature(self, k: int, l: int, which: Array) -> Array:
        """w ∂²ℓ/∂z_k∂z_l of each row of some problems, (B, n)."""
        if (k, l) not in self._curvatures:
            second = self.stack.loss.second(self.curvatures, k, l)
            self._curvatures[k, l] = second.reshape(self.weights.shape) * self.weights
        found = self._curvatures[k, l]
        return found if len(which) == len(found) else found[which]


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
