"""Minimization of a piecewise linear objective from vertex to vertex,

    Σ_i w_i max(0, c_i − a_i·θ) + Σ_j κ_j |θ_j|

At a vertex some weights F differ from 0, and as many rows E are at their kink, c_E = B θ_F with B = A_EF. Their slopes
−μ w, with 0 ≤ μ w ≤ w, balance the others':  Bᵀ μ = g_F + κ_F σ_F,  g the gradient of the rows that are not at their
kink. The vertex is a minimum if 0 ≤ μ ≤ w and |g_j − μ·a_Ej| ≤ κ_j for the other weights. Else a row of E or a weight
leaves its kink, all others of E and the zeros stay at theirs, and the objective falls along an edge. As in Barrodale
and Roberts's method the step goes past the kinks of rows and weights until the objective rises; the last one joins.

Ties, of which repeated rows and indicators of categories make many, are broken by small changes of c. The vertex with
the constants given then has the same slopes, which bound its distance from the minimum.
Along a path of strengths only κ changes, so the vertex stays one. Most rows never reach E: of 31 strengths of 20,000
rows and 16 features, a path takes 740 steps.
Barrodale & Roberts (1973), SIAM J. Numer. Anal. 10; Bloomfield & Steiger (1980), SIAM J. Sci. Stat. Comput. 1;
Zhu, Rosset, Hastie & Tibshirani (2003), NIPS 16
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dger

from linclass.base.arrays import Array

TIE_BREAK = 1e-8  # relative to the largest constant
SLACK = 1e-9  # relative to a limit, by which slopes may exceed it
ROUNDED_SLOPE = 1e-12  # relative to the weight of all rows
LEAST_MOVE = 1e-9  # change of a margin by a unit step, below which it counts as none
RECOMPUTE_AFTER = 100  # steps
NEAREST = 32  # kinks that are sorted at first


class Edge(NamedTuple):
    """A direction of descent, and what leaves its kink: a weight, or the row at this place of E."""

    direction: Array
    slope: float
    weight: int | None
    row: int | None


class NoVertex(ArithmeticError):
    """Rounding errors make the objective fall without end, or rows of E dependent."""


class Vertices:
    """The present vertex, from θ = 0."""

    def __init__(self, rows: Array, constants: Array, weights: Array):
        """rows a_i (n, p), not changed"""
        self.rows, self.w, (n, p) = rows, weights, rows.shape
        self.constants, size = constants, float(np.abs(constants).max(initial=0)) or 1.0
        self.c = constants + TIE_BREAK * size * np.random.default_rng(0).random(n)
        self.theta, self.signs = np.zeros(p), np.zeros(p)
        self.left = self.c.copy()  # c − a·θ
        self.lossy = self.left > 0  # rows whose slope counts in g
        self.g = -((weights * self.lossy) @ rows)
        self.E, self.F = np.zeros(0, int), np.zeros(0, int)
        self.inverse = np.zeros((0, 0), order="F")  # of B
        self.own = np.empty((min(n, p), p))  # the rows of E, then free places
        self.steps = 0

    def descend(self, kinks: Array, limit: int) -> bool:
        """Take up to `limit` steps; whether the vertex is a minimum."""
        for _ in range(limit):
            if (edge := self._edge(kinks)) is None:
                return True
            self._step(edge, kinks)
            self.steps += 1
            if self.steps % RECOMPUTE_AFTER == 0:
                self._recompute()
        return self._edge(kinks) is None

    def solution(self, kinks: Array) -> tuple[Array, Array]:
        """(θ of the vertex with the constants given, the slopes μ of all rows)."""
        k, B = len(self.E), self.own[: len(self.E), self.F]
        theta = np.zeros(len(self.theta))
        theta[self.F] = self.inverse @ self.constants[self.E]
        theta[self.F] += self.inverse @ (self.constants[self.E] - B @ theta[self.F])
        mu = self.w * self.lossy
        mu[self.E] = np.clip(self._multipliers(kinks), 0, self.w[self.E]) if k else 0
        return theta, mu

    def _multipliers(self, kinks: Array) -> Array:
        slopes: Array = self.g[self.F] + kinks[self.F] * self.signs[self.F]
        return slopes @ self.inverse

    def _edge(self, kinks: Array) -> Edge | None:
        """The one of steepest descent of those that would move a kink; a row's is in units of its own length."""
        k, rounded = len(self.E), ROUNDED_SLOPE * self.w.sum()
        mu = self._multipliers(kinks)
        h = self.g - mu @ self.own[:k]
        beyond = np.abs(h) - kinks
        beyond[(beyond <= SLACK * kinks + rounded) | (self.signs != 0)] = 0
        j = int(beyond.argmax())
        i, steepest = -1, 0.0
        if k:
            w = self.w[self.E]
            off = np.maximum(-mu, mu - w)
            off[off <= SLACK * w + rounded] = 0
            each = off / np.sqrt(np.einsum("ij,ij->j", self.inverse, self.inverse))
            i = int(each.argmax())
            steepest = each[i]
        if beyond[j] == steepest == 0:
            return None
        direction = np.zeros(len(self.theta))
        if beyond[j] >= steepest:
            sign = -np.sign(h[j])
            direction[self.F] = -sign * (self.inverse @ self.own[:k, j])
            direction[j] = sign
            return Edge(direction, -float(beyond[j]), j, None)
        direction[self.F] = self.inverse[:, i] if mu[i] < 0 else -self.inverse[:, i]
        return Edge(direction, -float(off[i]), None, i)

    def _step(self, edge: Edge, kinks: Array) -> None:
        """Move along the edge to the kink beyond which the objective rises."""
        direction, F = edge.direction, self.F
        moves = self.rows @ direction
        moves[self.E] = 0
        meets = (self.lossy == (moves > 0)) & (np.abs(moves) > LEAST_MOVE)
        meets[self.E] = False
        i = np.flatnonzero(meets)
        speed = direction[F]
        j = F[(self.signs[F] * speed < 0) & (kinks[F] > 0)]
        at = np.concatenate([self.left[i] / moves[i], -self.theta[j] / direction[j]])
        np.maximum(at, 0, out=at)
        rise = np.concatenate([self.w[i] * np.abs(moves[i]), 2 * kinks[j] * np.abs(direction[j])])
        passed, last = first_rise(at, rise, -edge.slope)
        step = at[last]
        if edge.row is not None:
            moves[self.E[edge.row]] = np.sign(self.own[edge.row] @ direction)
        self.theta += step * direction
        self.left -= step * moves
        over = i[passed[passed < len(i)]]
        self._switch(over)
        self.signs[j[passed[passed >= len(i)] - len(i)]] *= -1
        if edge.weight is not None:
            self.signs[edge.weight] = direction[edge.weight]
        else:
            row = self.E[edge.row]
            self.lossy[row] = moves[row] < 0
            if self.lossy[row]:
                self.g -= self.w[row] * self.rows[row]
        if last < len(i):
            self._join_row(int(i[last]), edge)
        else:
            self._leave_weight(int(j[last - len(i)]), edge)

    def _switch(self, rows: Array) -> None:
        """Rows have passed their kink."""
        if len(rows):
            self.g += np.where(self.lossy[rows], self.w[rows], -self.w[rows]) @ self.rows[rows]
            self.lossy[rows] = ~self.lossy[rows]

    def _join_row(self, row: int, edge: Edge) -> None:
        if self.lossy[row]:
            self.g += self.w[row] * self.rows[row]
            self.lossy[row] = False
        self.left[row] = 0
        a, k = self.rows[row], len(self.E)
        q = a[self.F] @ self.inverse
        if edge.row is not None:
            column = self.inverse[:, edge.row] / q[edge.row]
            q[edge.row] -= 1
            self.inverse = dger(-1.0, column, q, a=self.inverse, overwrite_a=1)
            self.E[edge.row], self.own[edge.row] = row, a
            return
        assert edge.weight is not None
        j = edge.weight
        u = self.inverse @ self.own[:k, j]
        rest = a[j] - a[self.F] @ u
        larger = np.zeros((k + 1, k + 1), order="F")
        larger[:k, :k] = self.inverse
        u, q = np.append(u, -1), np.append(q, -1)
        self.inverse = dger(1 / rest, u, q, a=larger, overwrite_a=1)
        self.own[k] = a
        self.E, self.F = np.append(self.E, row), np.append(self.F, j)

    def _leave_weight(self, j: int, edge: Edge) -> None:
        place, k = self.F.tolist().index(j), len(self.E)
        self.theta[j] = self.signs[j] = 0
        row = self.inverse[place].copy()
        if edge.weight is not None:
            u = self.inverse @ self.own[:k, edge.weight]
            row /= u[place]
            u[place] -= 1
            self.inverse = dger(-1.0, u, row, a=self.inverse, overwrite_a=1)
            self.F[place] = edge.weight
            return
        column, last = self.inverse[:, edge.row].copy(), k - 1
        inverse = dger(-1 / column[place], column, row, a=self.inverse, overwrite_a=1)
        inverse[place], inverse[:, edge.row] = inverse[last], inverse[:, last]
        self.inverse = np.asfortranarray(inverse[:last, :last])
        self.own[edge.row] = self.own[last]
        self.E[edge.row], self.F[place] = self.E[last], self.F[last]
        self.E, self.F = self.E[:last], self.F[:last]

    def _recompute(self) -> None:
        """Remove rounding errors that have accumulated."""
        k = len(self.E)
        try:
            self.inverse = np.asfortranarray(np.linalg.inv(self.own[:k, self.F]))
        except np.linalg.LinAlgError as error:
            raise NoVertex from error
        self.theta[self.F] = self.inverse @ self.c[self.E]
        self.left = self.c - self.rows @ self.theta
        self.left[self.E] = 0
        self.g = -((self.w * self.lossy) @ self.rows)


def first_rise(at: Array, rise: Array, fall: float) -> tuple[Array, int]:
    """(the kinks before it, that) at which the sum of the rises, in the order of `at`, first reaches the fall."""
    near = NEAREST
    while True:
        if near >= len(at):
            order = np.argsort(at)
        else:
            order = np.argpartition(at, near)[:near]
            order = order[np.argsort(at[order])]
        place = int(np.searchsorted(np.cumsum(rise[order]), fall))
        if place < len(order):
            return order[:place], int(order[place])
        if near >= len(at):
            raise NoVertex
        near *= 8
