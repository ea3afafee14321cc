"""Newton's method on many small problems with the same rows at once.

    P_b(u) = Σ_i w_bi ℓ(y_i, z_bi) + ½ Σ_j λ_bj u_bj²,    z_b = X u_b + β_b

Problem b has its own row weights, 0 for rows that it leaves out, and its own strength for each feature,
since rescaling a feature by s is the same as multiplying its λ by s². All problems share X: their scores
are one matrix product, and their Hessians  Σ_i d_bi x_i x_iᵀ  are another, of d with the matrix whose rows
are x_i x_iᵀ. Each problem has its own step halving and its own stopping test, and leaves the batch once it
has converged. The certificate is the duality gap, as for a single fit: with the slopes s̃ = s + ∇²ℓ δ, where
the Newton step δ of the intercept makes them sum to 0, and the remaining gradient r̃, the gap is
Σ w (ℓ(z) + ℓ*(s̃) − s̃ z) + ½ Σ_j r̃_j²/λ_j.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass.line_search import decreased
from linclass.numerics import Array

ENOUGH = 0.01  # of tol: convergence is quadratic, so the last digits cost little


@dataclass(frozen=True)
class Optima:
    """For each problem: theta (B, C, p) of C scores, objective, relative gap, number of steps."""

    theta: Array
    objective: Array
    certificate: Array
    n_iter: Array


class Batch:
    """Rows that many problems share. In this file theta is (C, B, p), score by score."""

    def __init__(self, X: Array, intercept: bool, loss: Any, y: Array):
        self.loss, self.y, self.C = loss, y, loss.n_scores
        n, self.d = X.shape
        self.intercept = intercept
        self.X = np.column_stack([X, np.ones(n)]) if intercept else X
        self.p = p = self.X.shape[1]
        upper = np.triu_indices(p)
        self.XX = self.X[:, upper[0]] * self.X[:, upper[1]]  # upper triangle of x_i x_iᵀ
        self.place = np.empty((p, p), dtype=np.intp)
        self.place[upper] = self.place[upper[::-1]] = np.arange(len(upper[0]))

    def minimize(
        self, weights: Array, strengths: Array, tol: float, max_iter: int, start: Array | None
    ) -> Optima:
        """weights (B, n), each summing to 1; strengths (B, d), positive; start (B, C, p)."""
        B, C, p = len(weights), self.C, self.p
        best = np.zeros((C, B, p)) if start is None else start.swapaxes(0, 1).copy()
        step, t = np.zeros_like(best), np.ones(B)
        value, slope = np.full(B, np.inf), np.zeros(B)
        gap, n_iter, met = np.full(B, np.inf), np.zeros(B, dtype=int), np.zeros(B, dtype=bool)
        at = np.arange(B)  # problems that have not converged
        for k in range(max_iter + 1):
            theta = best[:, at] + t[at, None] * step[:, at]
            look = Look(self, theta, weights[at], strengths[at])
            lower = decreased(look.value, value[at], t[at] * slope[at])
            new, n_iter[at] = at[lower], k
            best[:, new], value[new] = theta[:, lower], look.value[lower]
            # the gap after a step is about the square of its decrease
            near = (slope[at] ** 2 <= 10 * tol * look.value**2) & (k > 0)
            due = lower & (near | (k == max_iter))
            gap[at[due]] = look.certificate(np.flatnonzero(due), tol if k < max_iter else np.inf)
            done = (gap[at] <= ENOUGH * tol) | (met[at] & (gap[at] <= tol)) | (k == max_iter)
            met[at], t[at[~lower]] = gap[at] <= tol, t[at[~lower]] / 2
            moving = np.flatnonzero(lower & ~done)
            step[:, at[moving]], slope[at[moving]] = look.newton_step(moving)
            t[at[moving]] = 1
            at = at[~done]
            if not len(at):
                break
        return Optima(best.swapaxes(0, 1), value, gap, n_iter)


class Look:
    """Value, slopes and curvatures of some problems at theta, and what follows from them."""

    def __init__(self, batch: Batch, theta: Array, weights: Array, strengths: Array):
        self.batch, self.theta, self.weights, self.strengths = batch, theta, weights, strengths
        C, B, p = theta.shape
        n, d, loss = len(batch.X), batch.d, batch.loss
        shape = (C, B * n) if C > 1 else (B * n,)
        self.y = np.tile(batch.y, B)
        if theta.any():
            self.z = (theta.reshape(C * B, p) @ batch.X.T).reshape(shape)
            jet = loss.jet(self.y, self.z)
        else:  # at 0 all problems are alike
            self.z = np.zeros(shape)
            first = loss.jet(batch.y, np.zeros((C, n) if C > 1 else n))
            jet = tuple(np.tile(part, B) for part in first)
        values, slopes, self.curvatures = jet
        self.values, self.slopes = values, slopes
        self._curvatures: dict[tuple[int, int], Array] = {}
        u = theta[..., :d]
        self.value = np.einsum("bi,bi->b", weights, values.reshape(B, n))
        self.value += 0.5 * np.einsum("cbj,bj->b", u**2, strengths)
        ws = slopes.reshape(C, B, n) * weights
        self.gradient = (ws.reshape(C * B, n) @ batch.X).reshape(C, B, p)
        self.gradient[..., :d] += strengths * u

    def certificate(self, which: Array, tol: float) -> Array:
        """Relative duality gaps; +∞ where the gradient's part alone exceeds tol."""
        batch, d, size = self.batch, self.batch.d, np.abs(self.value[which])
        g = self.gradient[:, which]
        C, B, _ = g.shape
        rest, delta = g[..., :d], np.zeros((C, B))
        if batch.intercept:
            border = np.empty((C, C, B, batch.p))  # ∂²P/∂β_k∂u_l, and at the end ∂²P/∂β_k∂β_l
            for k in range(C):
                for l in range(k + 1):
                    border[k, l] = border[l, k] = self.curvature(k, l)[which] @ batch.X
            M = np.moveaxis(border[..., d], 2, 0)
            delta = -np.linalg.solve(self._regular(M), g[..., d].T[:, :, None])[:, :, 0].T
            rest = rest + np.einsum("klbj,kb->lbj", border[..., :d], delta)
        left = 0.5 * np.einsum("cbj,bj->b", rest**2, 1 / self.strengths[which])
        gap = np.full(B, np.inf)
        near = np.flatnonzero(left <= tol * size)
        if len(near):
            rows = self._rows(which[near])
            moves = delta[:, near].repeat(len(batch.X), axis=1)
            s, z = self.slopes[..., rows], self.z[..., rows]
            s = s + batch.loss.curve(self.curvatures[..., rows], moves.reshape(s.shape))
            each = batch.loss.conjugates(self.y[rows], s) + self.values[rows]
            each -= s * z if C == 1 else (s * z).sum(axis=0)
            weights = self.weights[which[near]]
            proved = np.einsum("bi,bi->b", weights, each.reshape(weights.shape))
            gap[near] = (np.maximum(proved, 0) + left[near]) / size[near]
        return gap

    def newton_step(self, which: Array) -> tuple[Array, Array]:
        """(−H⁻¹ g, directional derivative along it)"""
        batch, g = self.batch, self.gradient[:, which]
        C, B, p = g.shape
        H = np.empty((B, C, p, C, p))
        for k in range(C):
            for l in range(k + 1):
                packed = self.curvature(k, l)[which] @ batch.XX
                H[:, k, :, l] = H[:, l, :, k] = packed[:, batch.place]
        diagonal = np.einsum("bkjkj->bkj", H)[..., : batch.d]
        diagonal += self.strengths[which][:, None]
        if batch.intercept:
            H[:, :, -1, :, -1] = self._regular(H[:, :, -1, :, -1])
        right = g.swapaxes(0, 1).reshape(B, C * p, 1)
        s = -np.linalg.solve(H.reshape(B, C * p, C * p), right).reshape(B, C, p).swapaxes(0, 1)
        return s, np.einsum("cbj,cbj->b", g, s)

    def _regular(self, M: Array) -> Array:
        """M (B, C, C) of the intercepts; regularized if the loss is invariant to a common shift of all scores."""
        trace = np.einsum("bkk->b", M)[:, None, None]
        return M + trace / M.shape[-1] ** 2 if self.batch.loss.shift_invariant else M

    def _rows(self, which: Array) -> Any:
        """Positions of the scores of some problems."""
        B, n = self.weights.shape
        if len(which) == B:
            return slice(None)
        return (which[:, None] * n + np.arange(n)).ravel()

    def curvature(self, k: int, l: int) -> Array:
        """w ∂²ℓ/∂z_k∂z_l of each row of each problem, (B, n)."""
        if (k, l) not in self._curvatures:
            second = self.batch.loss.second(self.curvatures, k, l)
            self._curvatures[k, l] = second.reshape(self.weights.shape) * self.weights
        return self._curvatures[k, l]
