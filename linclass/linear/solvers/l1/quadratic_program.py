"""Squared loss with an L1 part in the penalty (lasso, elastic net), as a quadratic program:

    min_w  ½ wᵀG w − c·w + strength·penalty(w),   G, c centred second moments (`centred_gram`),

solved by an active-set method (`active_set`). If it is cheap, G is computed for all features, and then also
gives the certificate; otherwise for the support and the features that join because their slope exceeds the kink
most. With few rows the dual (`dual_newton`) comes first: it solves elastic nets, and finds most of the support where a
lasso's programs would need many rounds. The strengths of a path share G, and each starts from an extrapolation of the
last two solutions; if all of G is known, their certificates are computed together, else the programs grow with the
support (`growing_programs`).
Osborne, Presnell & Turlach (2000), IMA J. Numerical Analysis 20
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution, Solver, Trace
from linclass.linear.solvers.l1.active_set import PRECISE
from linclass.linear.solvers.l1.centred_gram import gram_of
from linclass.linear.solvers.l1.gram_points import GramPoint, evaluated, evaluated_along
from linclass.linear.solvers.l1.homotopy import Homotopy
from linclass.linear.solvers.l1.programs import Programs

DENSE = 0.1  # strengths per feature above which a lasso's path is computed by homotopy
PATIENCE = 30  # programs without a better certificate, whose digits are lost then
SLACK = 0.1  # of tol: error of slopes, relative to the kink, that suffices for it


@dataclass(frozen=True)
class QuadraticProgram(Solver):
    """Squared loss with an L1 part in the penalty, by active sets.

    Parameters
    ----------
    tol : float, default=1e-6
        Tolerance: the solver stops when its certificate is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of quadratic programs. None is 1000.
    """

    needs: ClassVar[str] = "quadratic"
    takes: ClassVar[str] = "entrywise"
    limit: ClassVar[int] = 1000

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        gram = gram_of(objective)
        programs = Programs(gram, objective)
        W = np.atleast_2d(objective.weight_part(start))
        return self._solve(objective, programs, W, evaluated(objective, gram, W), trace)

    def path(
        self, objective: Objective, strengths: Iterable[float], start: Array
    ) -> list[Solution]:
        gram, strengths = gram_of(objective), list(strengths)
        lasso = objective.uniform and objective.kinked and not objective.strongly_convex
        if gram.whole and lasso and len(strengths) > DENSE * objective.design.n_features:
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
            stack[k] = W = programs.minima(at, W, self._slack(at))[0]
        return self._certified(objectives, programs, stack)

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

    def _certified(
        self, objectives: Sequence[Objective], programs: Programs, stack: Array
    ) -> list[Solution]:
        """The solution at each strength, of which one program is solved; of more where its certificate demands it."""
        gram, kind, shape = programs.gram, objectives[0].certificate_kind, objectives[0].shape
        points, thetas = evaluated_along(objectives, gram, stack), gram.theta(stack)
        return [
            Solution(theta.reshape(shape), seen.value, seen.certificate, kind, True, 1)
            if seen.certificate <= self.tol
            else self._solve(at, programs, W, seen, n_iter=1)
            for at, W, theta, seen in zip(objectives, stack, thetas, points, strict=True)
        ]

    def _solve(
        self,
        objective: Objective,
        programs: Programs,
        W: Array,
        seen: GramPoint,
        trace: Trace | None = None,
        n_iter: int = 0,
    ) -> Solution:
        """From W, where the objective was evaluated as `seen`, after `n_iter` programs."""
        W, seen, n_iter = self._descend(objective, programs, W, seen, trace, n_iter)
        return self._solution(objective, programs, W, seen, n_iter)

    def _descend(
        self,
        objective: Objective,
        programs: Programs,
        W: Array,
        seen: GramPoint,
        trace: Trace | None = None,
        n_iter: int = 0,
    ) -> tuple[Array, GramPoint, int]:
        """Solve programs until the certificate suffices: (W, the objective there, number of programs)."""
        gram, best, stale = programs.gram, (W, seen), 0
        while seen.certificate > self.tol and n_iter < self.max_steps:
            tol = self._slack(objective) if gram.whole and not n_iter else PRECISE
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
        return max(SLACK * self.tol, float(self.tol * bent) ** 0.5)


def along(before: Array, last: Array, strengths: list[float]) -> Array:
    """`extrapolated` weights; those that would change sign are set to 0."""
    W = extrapolated(before, last, strengths)
    W[W * last <= 0] = 0
    return W


def extrapolated(before: Array, last: Array, strengths: list[float]) -> Array:
    """Linearly, from two of three strengths to the third: between kinks weights and slopes are nearly linear."""
    far, near, here = strengths
    return last + (here - near) / (near - far) * (last - before) if far != near else last.copy()
