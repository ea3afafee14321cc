"""The lasso's whole path, exactly: between kinks the weights are linear in the strength λ.

    w_A(λ) = G_AA⁻¹ (c_A − λ σ_A),   |c − G w| = λ on the support A,  ≤ λ elsewhere

The next kink is where the slope of a feature reaches λ, which then joins A, or where a weight reaches 0, which
then leaves A. G_AA⁻¹ is updated and not recomputed. A feature that depends linearly on those in A is left
out, since its slope changes with theirs. Elastic nets with a fixed l1_ratio have no such path.
Osborne, Presnell & Turlach (2000), IMA J. Numerical Analysis 20; Efron et al. (2004), Ann. Statist. 32"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import blas, qr_delete, solve_triangular

from linclass.base.arrays import BLOCK, Array
from linclass.base.documentation import documented
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution, Solver, Trace
from linclass.linear.solvers.centred_gram import CentredGram, evaluated_along, gram_of

# residual of a feature given the support, relative to its variance, below which it depends on the support
RANK_TOLERANCE = 1e-10
RECOMPUTE_AFTER = 50  # kinks after which the inverse is recomputed


@documented
@dataclass(frozen=True)
class Homotopy(Solver):
    """Exact solution path of the lasso."""

    needs: ClassVar[str] = "quadratic"
    takes: ClassVar[str] = "bare kink"
    limit: ClassVar[int] = 100_000  # kinks

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        return self.along(gram_of(objective), objective, [objective.strength], trace)[0]

    def path(
        self, objective: Objective, strengths: Iterable[float], start: Array
    ) -> list[Solution]:
        return self.along(gram_of(objective), objective, list(strengths))

    def along(
        self,
        gram: CentredGram,
        objective: Objective,
        strengths: list[float],
        trace: Trace | None = None,
    ) -> list[Solution]:
        kinks = np.array(strengths) * objective.penalty.kink
        W = np.zeros((len(kinks), *gram.c.shape))
        steps = np.zeros(len(kinks), int)
        for k, c in enumerate(gram.c):
            walk = Walk(gram, c)
            for i in np.argsort(-kinks):
                while walk.kinks < self.max_steps and walk.next_kink() > kinks[i]:
                    walk.go()
                    if trace:
                        W[i, k] = walk.w
                        trace(objective.at(gram.theta(W[i]).reshape(objective.shape)))
                W[i, k], steps[i] = walk.at(kinks[i]), max(steps[i], walk.kinks)
        points = evaluated_along([objective.with_strength(s) for s in strengths], gram, W)
        thetas, kind = gram.theta(W).reshape(-1, *objective.shape), objective.certificate_kind
        return [
            Solution(theta, value, certificate, kind, certificate <= self.tol, n)
            for theta, (value, _, certificate), n in zip(
                thetas, points, steps.tolist(), strict=True
            )
        ]


class Walk:
    """The path of one score from λ = max|c| down: the present kink, and the line to the next one.

    Without `drops` weights may pass through 0: that is least angle regression, which keeps what has joined.
    """

    def __init__(self, gram: CentredGram, c: Array, drops: bool = True):
        self.gram, self.c, self.drops, self.kinks, d = gram, c, drops, 0, len(c)
        self.moves: list[tuple[int, int]] = []  # (feature, 1 if it joined or −1 if it left)
        self.w, self.slope = np.zeros(d), c.copy()  # slope = c − G w
        self.line, self.signs = np.zeros(d), np.zeros(d)
        self.level = float(np.abs(c).max(initial=0))
        self._features, self.size = np.empty(d, int), 0  # the support, then free places
        self._room = np.zeros((64, 64), order="F")  # holds the inverse; 0 elsewhere
        # features for which slope = λ, slope = −λ, w = 0 can occur
        self.open = np.ones((3, d), bool)
        if self.level:
            self._join(int(np.abs(c).argmax()))
        self._aim()

    @property
    def support(self) -> Array:
        return self._features[: self.size]

    @property
    def inverse(self) -> Array:
        """G_AA⁻¹."""
        return self._room[: self.size, : self.size]

    def next_kink(self) -> float:
        return self.level - self.reach

    def at(self, level: float) -> Array:
        """The weights at a level from here to the next kink; beyond it, those at the kink."""
        return self.w + max(self.level - max(level, self.next_kink()), 0.0) * self.line

    def go(self) -> None:
        """Advance to the next kink and compute the line that leaves it."""
        self.w += self.reach * self.line
        self.slope -= self.reach * self.turn
        self.level -= self.reach
        self.kinks += 1
        if self.leaves:
            self._leave(self.next)
        else:
            self._join(self.next)
        if self.kinks % RECOMPUTE_AFTER == 0:
            self._anew()
        self._aim()

    def _aim(self) -> None:
        """The line from here and its length: until a slope is ±λ, or a weight 0."""
        self._set_line()
        level, slope, turn = self.level, self.slope, self.turn
        far = np.array([level - slope, level + slope, np.abs(self.w)])
        speed = np.array([1 - turn, 1 + turn, -self.signs * self.line])
        self.open[2] = self.drops & (self.w != 0)
        reach = np.full(far.shape, np.inf)
        np.divide(far, speed, out=reach, where=self.open & (speed > 0))
        kind, self.next = divmod(int(reach.argmin()), len(slope))
        self.leaves = kind == 2
        self.reach = min(max(float(reach[kind, self.next]), 0.0), level)

    def _set_line(self) -> None:
        A = self.support
        self.line[A] = self.inverse @ self.signs[A]  # −dw/dλ
        self.turn = self.gram.times(self.line)  # d slope/dλ

    def _join(self, j: int) -> None:
        """M ← M + u uᵀ/s  with  u = (M g, −1),  s = g_jj − g·M g."""
        m = self.size
        self.open[:2, j] = False
        self._features[m] = j
        column = self.gram.between(self._features[: m + 1], j)
        g, variance = column[:m], column[m]
        v = self.inverse @ g
        left = variance - g @ v
        if left <= RANK_TOLERANCE * variance:
            return
        if m == len(self._room):
            self._room = np.asfortranarray(np.pad(self._room, (0, m)))
        u = np.zeros(len(self._room))
        u[:m], u[m] = v, -1
        blas.dger(1 / left, u, u, a=self._room, overwrite_a=1)
        self._joined(j)

    def _joined(self, j: int) -> None:
        self._features[self.size] = j
        self.size, self.signs[j] = self.size + 1, np.sign(self.slope[j])
        self.moves.append((j, 1))

    def _left(self, j: int) -> None:
        self.size, self.signs[j], self.line[j], self.w[j] = self.size - 1, 0, 0, 0
        self.moves.append((j, -1))
        self.open[:2] = self.signs == 0  # also features that depended on it

    def _leave(self, j: int) -> None:
        """M ← M − m_j m_jᵀ/m_jj, whose row and column j are 0; the last ones take their place."""
        i, last, M = int(np.flatnonzero(self.support == j)[0]), self.size - 1, self._room
        u = M[i].copy()
        blas.dger(-1 / u[i], u, u, a=M, overwrite_a=1)
        self._features[i] = self._features[last]
        M[i], M[:, i] = M[last], M[:, last]
        M[last], M[:, last] = 0, 0
        self._left(j)

    def _anew(self) -> None:
        """Recompute the inverse, to remove accumulated rounding errors."""
        A = self.support
        self.inverse[...] = np.linalg.inv(self.gram.among(A))
        self.w[A] = self.inverse @ (self.c[A] - self.level * self.signs[A])
        self.slope = self.c - self.gram.times(self.w)


# The walk along the lasso's path by orthogonal factors, which keeps the digits that the squares of ill-conditioned
# features lose:  with X_c = √w (X − x̄), of the support A = Q R,
#
#     w_A(λ) = R⁻¹ (Qᵀz − λ u),   u = R⁻ᵀ σ_A,   slopes = X_cᵀ (z − Q (Qᵀz − λ u)).
#
# At every kink weights and slopes are computed anew, so errors do not add up. The rows are reduced to a triangle once.
# Golub & Van Loan (2013), §5.2, §6.5

REMAINDER = 1e-13  # of the columns that combine to a feature: a remainder up to this is none


class FactoredWalk(Walk):
    def __init__(self, gram: CentredGram, objective: Objective, c: Array, drops: bool = True):
        triangle = _triangle(gram, objective)
        self.rows, self.z = triangle[:, :-1], triangle[:, -1]
        self.sizes = objective.design.column_norms(objective.weights)[: len(c)]
        self.Q, self.R = np.empty((len(self.rows), 0)), np.empty((0, 0))
        super().__init__(gram, c, drops)

    def _set_line(self) -> None:
        u = _solved(self.R, self.signs[self.support], "T")
        self.line[self.support] = _solved(self.R, u)
        self.turn = self.rows.T @ (self.Q @ u)

    def _settle(self) -> None:
        """Weights and slopes at this level, of a support without what joins or leaves here."""
        fit = self.Q.T @ self.z - self.level * _solved(self.R, self.signs[self.support], "T")
        self.w[self.support] = _solved(self.R, fit)
        self.slope = self.rows.T @ (self.z - self.Q @ fit)

    def _join(self, j: int) -> None:
        """Add feature j to the support, by Gram and Schmidt's method, applied twice."""
        self._settle()
        self.open[:2, j] = False
        x, Q, m = self.rows[:, j], self.Q, self.size
        h = Q.T @ x
        again = Q.T @ (x - Q @ h)
        q, h = x - Q @ h - Q @ again, h + again
        left, others = float(np.linalg.norm(q)), np.abs(_solved(self.R, h))
        if left <= REMAINDER * (self.sizes[j] + others @ self.sizes[self.support]):
            return
        self.Q = np.column_stack([Q, q / left])
        self.R = np.block([[self.R, h[:, None]], [np.zeros((1, m)), np.array([[left]])]])
        self._joined(j)

    def _leave(self, j: int) -> None:
        i = int(np.flatnonzero(self.support == j)[0])
        Q, R = qr_delete(self.Q, self.R, i, which="col")
        self.Q, self.R = Q[:, : self.size - 1], R[: self.size - 1]  # a square Q stays square
        self._features[i : self.size - 1] = self._features[i + 1 : self.size].copy()
        self._left(j)
        self._settle()

    def _anew(self) -> None:
        """Nothing has accumulated."""


def _triangle(gram: CentredGram, objective: Objective) -> Array:
    """R of the rows √w [x − x̄, y − ȳ] = Q R, block by block."""
    y, roots, d = objective.y - gram.y_mean[0], np.sqrt(objective.weights), len(gram.mean)
    R: Array = np.zeros((0, d + 1))
    for begin in range(0, len(y), BLOCK):
        some = slice(begin, begin + BLOCK)
        rows = objective.design.take(some).columns(np.arange(d), gram.mean, roots[some])
        rows = np.column_stack([rows, roots[some] * y[some]])
        R = np.asarray(np.linalg.qr(np.vstack([R, rows]), mode="r"))
    return R


def _solved(R: Array, b: Array, trans: str = "N") -> Array:
    return solve_triangular(R, b, trans=trans, check_finite=False) if len(b) else b
