"""Squared loss with an L1 part in the penalty (lasso, elastic net), as a quadratic program:

    min_w  ½ wᵀG w − c·w + strength·penalty(w),   G, c centred second moments (`centred_gram`),

solved by an active-set method (`active_set`). If it is cheap, G is computed for all features, and then also
gives the certificate; otherwise for the support and the features that join because their slope exceeds the kink
most. With few rows the dual (`dual_newton`) comes first: it solves elastic nets, and finds most of the support where a
lasso's programs would need many rounds. The strengths of a path share G, and each starts from an extrapolation of the
last two solutions; if all of G is known, their certificates are computed together, else the programs grow with the
support.
Osborne, Presnell & Turlach (2000), IMA J. Numerical Analysis 20"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array, diagonal
from linclass.base.documentation import documented
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.active_set import NEGLIGIBLE_SLACK, by_active_set, scale
from linclass.linear.solvers.base import Solution, Solver, Trace
from linclass.linear.solvers.centred_gram import (
    MAX_WHOLE_GRAM,
    CentredGram,
    GramPoint,
    evaluated,
    evaluated_along,
    gram_of,
)
from linclass.linear.solvers.dual_newton import MAX_DUAL_ROWS, DualNewton
from linclass.linear.solvers.homotopy import Homotopy

JOIN_SHARE = 0.3  # share of the largest violation: features above it join at once
ALL_JOIN_UP_TO = 20  # features up to which all that exceed the kink join
MOST_JOINING = 50  # features join at most, or as many as are in the support
MAX_PROGRAM = 2000  # features of a program


def features(
    kink: Array, w: Array, slopes: Array, above: float = JOIN_SHARE
) -> tuple[Array, int, int]:
    """(features of a program, size of the support, number of others whose slope exceeds their kink).

    A program has the support, all features without a kink, and as many others as these, or a few. If the others are
    many, only those above a share of the largest violation count.
    """
    support = (w != 0) | (kink == 0)
    beyond = np.where(support, 0, np.abs(slopes) - kink)
    new = np.flatnonzero(beyond > 0)
    if len(new) > ALL_JOIN_UP_TO:
        new = np.flatnonzero(beyond > above * beyond.max())
    inside = np.flatnonzero(support)
    joining = new[np.argsort(-beyond[new])][: max(MOST_JOINING, len(inside))]
    return np.sort(np.append(inside, joining)), len(inside), len(new)


def too_many(kink: Array, w: Array, slopes: Array, rows: int) -> bool:
    """Whether more features would join than a program admits, or the support is larger than the rows determine."""
    _, inside, new = features(kink, w, slopes)
    return new > max(MOST_JOINING, inside) or inside > rows


DUAL_ROUNDS = 5  # of the dual, after which programs take over


class Programs:
    """The quadratic program of each score: over all features if all second moments are known, over a support that
    grows, by the dual for few rows, or over the support and the features that join it.
    """

    def __init__(self, gram: CentredGram, objective: Objective, along_path: bool = False):
        self.gram, design = gram, gram.design
        self.steepest = float(np.abs(gram.c).max(initial=0))  # slope at 0
        few = (
            design.n_rows <= min(MAX_DUAL_ROWS, design.n_features)
            and design.n_features > MAX_WHOLE_GRAM
        )
        self.wide = few and not gram.whole and objective.uniform and bool(objective.strength)
        # programs after which no progress means rounding
        curved = self.wide and objective.strongly_convex
        self.sure = 2 if gram.whole else 2 * DUAL_ROUNDS if curved else np.inf
        if self.wide:
            self.dual = DualNewton(gram, objective)
        self.rounds = 0  # of the dual
        # a single elastic net of few rows takes less by its dual
        self.grows = (along_path or not curved) and len(gram.c) == 1 and not gram.whole
        if gram.whole:
            self.H = gram.G.copy()
            self.own = self.H.diagonal().copy()

    def solve(
        self, objective: Objective, W: Array, slopes: Array, tol: float, n_iter: int
    ) -> tuple[Array, GramPoint]:
        """Improved weights, and the objective evaluated there."""
        gram, self.rounds = self.gram, self.rounds if n_iter else 0
        if gram.whole:
            W = self.minima(objective, W, tol)
            return W, evaluated(objective, gram, W)
        kinks = np.full(W.shape, objective.kink)
        curvatures = np.full(W.shape, objective.curvature)
        slack = tol * self._scale(objective)
        if self.grows and n_iter < DUAL_ROUNDS and self._join(objective, W[0], slopes[0]):
            F, H = gram.known, gram.G.copy()
            diagonal(H)[...] += curvatures[0, F]
            minimum = np.zeros_like(W)
            minimum[0, F] = by_active_set(H, gram.c[0, F], kinks[0, F], W[0, F], slack)
            return minimum, evaluated(objective, gram, minimum)
        dual = self.wide and self.rounds < DUAL_ROUNDS
        n = self.gram.design.n_rows
        far = (
            any(too_many(*own, n) for own in zip(kinks, W, slopes, strict=True)) if dual else False
        )
        if dual and (objective.strongly_convex or far):
            W = self.dual.round(objective, W, slopes, self.rounds)
            self.rounds += 1
            return W, evaluated(objective, gram, W)
        W = W.copy()
        own = zip(gram.c, W, slopes, kinks, curvatures, strict=True)
        for c, w, slope, kink, curvature in own:
            F, *_ = features(kink, w, slope)
            H = gram.among(F)
            diagonal(H)[...] += curvature[F]
            w[F] = by_active_set(H, c[F], kink[F], w[F], slack)
        return W, evaluated(objective, gram, W)

    def minima(self, objective: Objective, W: Array, tol: float) -> Array:
        """The minima of the programs over all features."""
        kinks, slack = np.full(W.shape, objective.kink), tol * self._scale(objective)
        diagonal(self.H)[...] = self.own + objective.curvature
        own = zip(self.gram.c, kinks, W, strict=True)
        return np.array([by_active_set(self.H, c, kink, w, slack) for c, kink, w in own])

    def _join(self, objective: Objective, w: Array, slopes: Array) -> bool:
        """Let the support and all features whose slope exceeds the kink join those known to G, over which a program of
        one score is solved: from round to round and from strength to strength the support changes by few features.
        False if these are too many: an elastic net of half as many features as rows takes less by its dual.
        """
        gram, rows = self.gram, self.gram.design.n_rows
        kink = np.full(w.shape, objective.kink)
        joined = np.zeros(w.shape, bool)
        joined[gram.known] = True
        joined[features(kink, w, slopes, above=0.0)[0]] = True
        most = min(rows // 2 if objective.strongly_convex else rows, MAX_PROGRAM)
        if too_many(kink, w, slopes, rows) or joined.sum() > most:
            return False
        gram.learn(np.flatnonzero(joined))
        return True

    def _scale(self, objective: Objective) -> float:
        return scale(self.steepest, float(np.min(objective.kink)))


HOMOTOPY_DENSITY = 0.1  # strengths per feature above which a lasso's path is computed by homotopy
PATIENCE = 30  # programs without a better certificate, whose digits are lost then
SLOPE_SLACK = 0.1  # share of tol: error of slopes, relative to the kink, that suffices for it


@documented
@dataclass(frozen=True)
class QuadraticProgram(Solver):
    """Squared loss with an L1 part in the penalty, by active sets."""

    needs: ClassVar[str] = "quadratic"
    takes: ClassVar[str] = "entrywise"
    limit: ClassVar[int] = 1000  # programs

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        gram = gram_of(objective)
        programs = Programs(gram, objective)
        W = np.atleast_2d(objective.weight_part(start))
        end = self._descend(objective, programs, W, evaluated(objective, gram, W), trace)
        return self._solution(objective, programs, *end)

    def path(
        self, objective: Objective, strengths: Iterable[float], start: Array
    ) -> list[Solution]:
        gram, strengths = gram_of(objective), list(strengths)
        lasso = objective.uniform and objective.kinked and not objective.strongly_convex
        if gram.whole and lasso and len(strengths) > HOMOTOPY_DENSITY * objective.design.n_features:
            return Homotopy(self.tol, self.max_iter).along(gram, objective, strengths)
        programs = Programs(gram, objective, along_path=True)
        W = np.atleast_2d(objective.weight_part(start))
        objectives = [objective.with_strength(strength) for strength in strengths]
        if not gram.whole:
            return self._growing(objectives, programs, W)
        stack = np.empty((len(strengths), *W.shape))
        for k, at in enumerate(objectives):
            if k > 1:
                W = along(stack[k - 2], stack[k - 1], strengths[k - 2 : k + 1])
            stack[k] = W = programs.minima(at, W, self._slack(at))
        points, thetas = evaluated_along(objectives, gram, stack), gram.theta(stack)
        kind, shape = objective.certificate_kind, objective.shape
        return [
            Solution(theta.reshape(shape), seen.value, seen.certificate, kind, True, 1)
            if seen.certificate <= self.tol
            else self._solution(at, programs, *self._descend(at, programs, W, seen, n_iter=1))
            for at, W, theta, seen in zip(objectives, stack, thetas, points, strict=True)
        ]

    def _growing(
        self, objectives: Sequence[Objective], programs: Programs, W: Array
    ) -> list[Solution]:
        """The solution at each strength. Its first program has the features whose slope, extrapolated like the weights,
        exceeds the kink, so most strengths need one product with all columns, that of the certificate.
        """
        strengths = [objective.strength for objective in objectives]
        seen = evaluated(objectives[0], programs.gram, W)
        past, solutions = list[tuple[Array, Array]](), list[Solution]()
        for k, at in enumerate(objectives):
            slopes, n_iter = seen.slopes, 0
            if k > 1:
                (before, rising), (last, _) = past
                three = strengths[k - 2 : k + 1]
                W, slopes = along(before, last, three), extrapolated(rising, slopes, three)
            if k:
                W, seen = programs.solve(at, W, slopes, self._slack(at), 0)
                n_iter = 1
            W, seen, n_iter = self._descend(at, programs, W, seen, n_iter=n_iter)
            past = [*past[-1:], (W, seen.slopes)]
            solutions.append(self._solution(at, programs, W, seen, n_iter))
        return solutions

    def _descend(
        self,
        objective: Objective,
        programs: Programs,
        W: Array,
        seen: GramPoint,
        trace: Trace | None = None,
        n_iter: int = 0,
    ) -> tuple[Array, GramPoint, int]:
        """Solve programs from W, where the objective was evaluated as `seen`, after `n_iter` programs, until the
        certificate suffices: (W, the objective there, number of programs).
        """
        gram, best, stale = programs.gram, (W, seen), 0
        while seen.certificate > self.tol and n_iter < self.max_steps:
            tol = self._slack(objective) if gram.whole and not n_iter else NEGLIGIBLE_SLACK
            W, seen = programs.solve(objective, W, seen.slopes, tol, n_iter)
            n_iter += 1
            if trace:
                trace(objective.at(gram.theta(W).reshape(objective.shape)))
            if seen.certificate < best[1].certificate:
                best, stale = (W, seen), 0
            elif (stale := stale + 1) == PATIENCE or n_iter >= programs.sure:
                break  # limited by rounding
        return *best, n_iter

    def _solution(
        self, objective: Objective, programs: Programs, W: Array, seen: GramPoint, n_iter: int
    ) -> Solution:
        theta = programs.gram.theta(W).reshape(objective.shape)
        done, kind = seen.certificate <= self.tol, objective.certificate_kind
        return Solution(theta, seen.value, seen.certificate, kind, done, n_iter)

    def _slack(self, objective: Objective) -> float:
        """Tolerance of slopes, relative to the kink: the gap is as it, with curvature as its square."""
        curvature, kink = float(np.max(objective.curvature)), float(np.max(objective.kink))
        bent = curvature / ((curvature + kink) or 1.0)
        return max(SLOPE_SLACK * self.tol, float(self.tol * bent) ** 0.5)


def along(before: Array, last: Array, strengths: list[float]) -> Array:
    """`extrapolated` weights; those that would change sign are set to 0."""
    W = extrapolated(before, last, strengths)
    W[W * last <= 0] = 0
    return W


def extrapolated(before: Array, last: Array, strengths: list[float]) -> Array:
    """Linearly, from two of three strengths to the third: between kinks weights and slopes are nearly linear."""
    far, near, here = strengths
    return last + (here - near) / (near - far) * (last - before) if far != near else last.copy()
