"""The lasso's whole path, exactly: between kinks the weights are linear in the strength λ.

    w_A(λ) = G_AA⁻¹ (c_A − λ σ_A),   |c − G w| = λ on the support A,  ≤ λ elsewhere

The next kink is where a feature's slope reaches λ, which then joins A, or a weight reaches 0, which
then leaves it; G_AA⁻¹ is bordered, not made anew. A feature that depends on those in A is left out:
its slope moves with theirs. Elastic nets of a fixed l1_ratio have no such path.
Osborne, Presnell & Turlach (2000), IMA J. Numerical Analysis 20; Efron et al. (2004), Ann. Statist. 32
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.numerics import Array
from linclass.objective import Objective
from linclass.optimization.centred_gram import CentredGram, gram_of, look
from linclass.solvers.base import Solution, Solver, Trace

DEPENDENT = 1e-10  # of a feature's variance, left when those in the support are given
ANEW = 50  # kinks after which the bordered inverse is made anew


@dataclass(frozen=True)
class Homotopy(Solver):
    needs: ClassVar[str] = "quadratic"
    takes: ClassVar[str] = "bare kink"
    limit: ClassVar[int] = 100_000

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
                while walk.kinks < self.n_steps and walk.next_kink() > kinks[i]:
                    walk.go()
                    if trace:
                        W[i, k] = walk.w
                        trace(objective.at(gram.theta(W[i]).reshape(objective.shape)))
                W[i, k], steps[i] = walk.at(kinks[i]), max(steps[i], walk.kinks)
        return [
            self._solution(objective.with_strength(strength), gram, w, int(n))
            for strength, w, n in zip(strengths, W, steps, strict=True)
        ]

    def _solution(self, objective: Objective, gram: CentredGram, W: Array, n_iter: int) -> Solution:
        seen, kind = look(objective, gram, W), objective.certificate_kind
        theta, done = gram.theta(W).reshape(objective.shape), seen.certificate <= self.tol
        return Solution(theta, seen.value, seen.certificate, kind, done, n_iter)


class Walk:
    """One score's path from λ = max|c| down: where it is, and its line to the next kink."""

    inverse: Array  # of G_AA, a view of the room that it has

    def __init__(self, gram: CentredGram, c: Array):
        self.gram, self.c, self.kinks = gram, c, 0
        self.w, self.slope = np.zeros(len(c)), c.copy()  # slope = c − G w
        self.level = float(np.abs(c).max(initial=0))
        self._room = np.empty((64, 64))  # of the inverse, which grows in place
        self._take(np.empty(0, int), np.empty(0))
        self.dependent = np.zeros(len(c), bool)
        if self.level:
            self._join(int(np.abs(c).argmax()))
        self._aim()

    def next_kink(self) -> float:
        return self.level - self.reach

    def at(self, level: float) -> Array:
        """The weights at a level from here to the next kink; beyond it, those at the kink."""
        w = self.w.copy()
        w[self.support] += max(self.level - max(level, self.next_kink()), 0.0) * self.line
        return w

    def go(self) -> None:
        """To the next kink, and into the line that leaves it."""
        self.w[self.support] += self.reach * self.line
        self.slope -= self.reach * self.turn
        self.level -= self.reach
        self.kinks += 1
        if self.leaving is not None:
            self.w[self.support[self.leaving]] = 0
            self._leave(self.leaving)
        else:
            self._join(self.joining)
        if self.kinks % ANEW == 0:
            self._anew()
        self._aim()

    def _aim(self) -> None:
        """The line from here, and how far it holds."""
        A = self.support
        self.line = self.inverse @ self.signs  # −dw_A/dλ
        self.turn = self.gram.times(A, self.line)  # d slope/dλ
        with np.errstate(divide="ignore", invalid="ignore"):
            up = (self.level - self.slope) / (1 - self.turn)
            down = (self.level + self.slope) / (1 + self.turn)
            up[self.turn >= 1] = down[self.turn <= -1] = np.inf
            reach = np.maximum(np.minimum(up, down), 0)
            reach[A] = reach[self.dependent] = np.inf
            zero = -self.w[A] / self.line
            zero[~(zero > 0)] = np.inf
        self.joining, self.leaving = int(reach.argmin()), None
        self.reach = min(float(reach[self.joining]), self.level)
        if len(A) and zero[first := int(zero.argmin())] < self.reach:
            self.leaving, self.reach = first, float(zero[first])

    def _join(self, j: int) -> None:
        A, M = self.support, self.inverse
        g, own = self.gram.between(A, j), float(self.gram.between(j, j))
        v = M @ g
        left = own - g @ v
        if left <= DEPENDENT * own:
            self.dependent[j] = True
            return
        v /= left
        M += np.outer(v, left * v)
        sign = np.sign(self.slope[j])
        self._take(np.concatenate([A, [j]]), np.concatenate([self.signs, [sign]]))
        self.inverse[:-1, -1] = self.inverse[-1, :-1] = -v
        self.inverse[-1, -1] = 1 / left

    def _leave(self, i: int) -> None:
        kept = np.arange(len(self.support)) != i
        M = self.inverse
        smaller = M[np.ix_(kept, kept)] - np.outer(M[kept, i], M[i, kept] / M[i, i])
        self._take(self.support[kept], self.signs[kept])
        self.inverse[...] = smaller
        self.dependent[:] = False

    def _anew(self) -> None:
        """What rounding has added up to is taken back."""
        A = self.support
        self.inverse[...] = np.linalg.inv(self.gram.among(A))
        self.w[A] = self.inverse @ (self.c[A] - self.level * self.signs)
        self.slope = self.c - self.gram.times(A, self.w[A])

    def _take(self, support: Array, signs: Array) -> None:
        """These are the support now; the inverse gets its size."""
        self.support, self.signs, m = support, signs, len(support)
        if m > len(self._room):
            room = np.empty((2 * m, 2 * m))
            room[: m - 1, : m - 1] = self.inverse
            self._room = room
        self.inverse = self._room[:m, :m]
