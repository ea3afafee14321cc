"""A linear program, for piecewise linear losses of one score with an L1 penalty or none.

It is solved by its dual,

    max_μ  Σ_i w_i Σ_p μ_pi c_pi   subject to   |Σ_i w_i s_i x_ij| ≤ strength·f_j,   0 ≤ μ_pi ≤ 1,   s_i = Σ_p μ_pi a_pi

for the pieces  a_p z + c_p  of the loss: one for the hinge, two for the ε-insensitive loss. The sums are 0 for columns
without a penalty, of which the intercept is one. W and b are the multipliers of the sums, and s are slopes, so the
duality gap is the certificate. With L1 it is the 1-norm support vector machine. Columns are centred, if there is an
intercept, and have unit variance, so that tolerances mean the same for all.

A descent from vertex to vertex (vertices.py) solves the program, and goes on along a path of strengths. HiGHS solves it
where the rows are sparse and would be large as an array, or where rounding errors end the descent too early.
Bradley & Mangasarian (1998), ICML 15; Duda, Hart & Stork (2001), §5.10; Huangfu & Hall (2018), Math. Prog. Comp. 10
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from linclass.base.arrays import EPS, Array
from linclass.base.documentation import documented
from linclass.linear.objective.certificate import certify, relative_gap
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import Solution, Solver, Trace
from linclass.linear.solvers.vertices import NoVertex, Vertices

PROGRAM_TOLERANCE = 1e-10  # tolerance of the program, the least that HiGHS takes
CANCELLED = 16 * EPS
MAX_TERMS = 1e4  # times the constants: rounding errors of larger terms are not all that is left
MAX_UNIT = 1e4  # by which small sums are multiplied; more makes programs harder
SLIGHTLY_LONGER = 1 + 1e-6
MAX_ENTRIES = 10_000_000  # of sparse rows as an array


@documented
@dataclass(frozen=True)
class LinearProgram(Solver):
    """A linear program, for piecewise linear losses of one score with an L1 penalty or none."""

    needs: ClassVar[str] = "piecewise-linear"
    takes: ClassVar[str] = "l1 or none"
    limit: ClassVar[int] = 1_000_000  # steps of the simplex method

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        return self._at([objective], start, trace)[0]

    def path(
        self, objective: Objective, strengths: Iterable[float], start: Array
    ) -> list[Solution]:
        return self._at([objective.with_strength(s) for s in strengths], start, None)

    def _at(
        self, objectives: Sequence[Objective], start: Array, trace: Trace | None
    ) -> list[Solution]:
        """The solutions of objectives that differ only in their strengths."""
        program, solutions = Program(objectives[0]), list[Solution]()
        vertices = program.vertices()
        for objective in objectives:
            at_strength = program.of(objective)
            solution = self._by_vertices(at_strength, vertices, trace) if vertices else None
            if solution is None:
                vertices = None
                solution = self._by_highs(at_strength, start, trace)
            solutions.append(solution)
        return solutions

    def _by_vertices(
        self, program: Program, vertices: Vertices, trace: Trace | None
    ) -> Solution | None:
        """The solution by vertices; None if rounding errors keep the certificate above tol."""
        intercept = np.zeros(int(program.objective.design.intercept))
        before, kinks = vertices.steps, np.append(program.kink, intercept)
        try:
            done = vertices.descend(kinks, self.max_steps)
        except NoVertex:
            return None
        theta, mu = vertices.solution(kinks)
        n_iter = vertices.steps - before
        v, middle = np.split(theta, [len(program.spread)])
        mu /= np.where(program.each > 0, program.each, 1)
        solution = self._solution(program, v, middle, mu, n_iter, trace)
        return solution if solution.converged or not done else None

    def _by_highs(self, program: Program, start: Array, trace: Trace | None) -> Solution:
        objective, highs = program.objective, program.solved(self.max_steps)
        if highs.x is None:
            point = objective.at(start)
            return Solution.at(point, certify(point), self.tol, int(highs.nit))
        return self._solution(program, *program.multipliers(highs), highs.x, int(highs.nit), trace)

    def _solution(
        self, program: Program, v: Array, middle: Array, mu: Array, n_iter: int, trace: Trace | None
    ) -> Solution:
        objective, W = program.objective, v / program.spread
        theta = np.concatenate([W, middle - program.mean @ W])
        # if columns without a penalty separate the rows, margins are 1 but for rounding
        point = min(map(objective.at, (theta, SLIGHTLY_LONGER * theta)), key=lambda one: one.value)
        if trace:
            trace(point)
        slopes = program.slopes
        s = (np.clip(mu, 0, 1).reshape(slopes.shape) * slopes).sum(axis=0)
        certificate, s = program.certificate(point, s, v, middle)
        done, kind = certificate <= self.tol, "duality_gap"
        return Solution(point.theta, point.value, certificate, kind, done, max(1, n_iter), slopes=s)


class Program:
    """The program of an objective, over μ (pieces · n), and what its solution says about W and b."""

    def __init__(self, objective: Objective):
        self.objective, design, w = objective, objective.design, objective.weights
        self.w, self.n = w, design.n_rows
        self.mean, self.spread, self.columns = design.standardized_columns(w)
        self.slopes, self.constants = objective.loss.pieces(objective.y)
        self.each = np.tile(w, len(self.slopes))
        self._limit(objective)

    def of(self, objective: Objective) -> Program:
        """The program of the same objective at another strength."""
        program = copy.copy(self)
        program._limit(objective)
        return program

    def _limit(self, objective: Objective) -> None:
        self.objective = objective
        self.kink = np.broadcast_to(objective.kink, len(self.spread)) / self.spread
        self.bound, self.free = np.flatnonzero(self.kink > 0), np.flatnonzero(self.kink == 0)
        # factor of small sums, since tolerances are absolute
        self.unit = np.clip(1 / (self.n * self.kink[self.bound]), 1, MAX_UNIT)

    def vertices(self) -> Vertices | None:
        """The vertex at 0; None if all rows take much memory."""
        design = self.objective.design
        if design.is_sparse and self.slopes.size * design.width > MAX_ENTRIES:
            return None
        X = self.columns.T.toarray()
        if design.intercept:
            X = np.column_stack([X, np.ones(self.n)])
        rows = np.concatenate([-slopes[:, None] * X for slopes in self.slopes])
        return Vertices(rows, self.constants.ravel(), self.each)

    def solved(self, max_iter: int) -> Any:
        """The result of `linprog`, whose objective is n times the dual's."""
        from scipy.optimize import linprog  # slow to import

        each = self.n * self.w
        sums = sparse.hstack([self.columns * (each * a) for a in self.slopes], format="csr")
        zero = [sums[self.free]]
        if self.objective.design.intercept:
            zero.append(sparse.csr_array((each * self.slopes).reshape(1, -1)))
        balanced = sparse.vstack(zero)
        limited = sparse.diags_array(self.unit) @ sums[self.bound]
        return linprog(
            -(each * self.constants).ravel(),
            A_ub=sparse.vstack([limited, -limited]),
            b_ub=np.tile(self.n * self.kink[self.bound] * self.unit, 2),
            A_eq=balanced,
            b_eq=np.zeros(balanced.shape[0]),
            bounds=(0, 1),
            method="highs",
            options={
                "maxiter": max_iter,
                "primal_feasibility_tolerance": PROGRAM_TOLERANCE,
                "dual_feasibility_tolerance": PROGRAM_TOLERANCE,
            },
        )

    def multipliers(self, found: Any) -> tuple[Array, Array]:
        """(weights v of the standardized columns, their intercept if there is one)."""
        of_limits, of_zeros = found.ineqlin.marginals, found.eqlin.marginals
        up, down = np.split(of_limits, 2)
        v = np.zeros(len(self.spread))
        v[self.bound], v[self.free] = (up - down) * self.unit, of_zeros[: len(self.free)]
        return v, of_zeros[len(self.free) :]

    def certificate(self, point: Point, s: Array, v: Array, middle: Array) -> tuple[float, Array]:
        """(relative gap, the slopes s after scaling their sums into the limits).

        Sums that should be 0 change the bound by themselves times the multipliers at the minimum, here twice these.
        """
        P, bound, free = self.objective, self.bound, self.free
        largest = float(np.abs(self.constants).max())
        terms = np.abs(v).sum() + np.abs(middle).sum() + largest
        if point.value <= CANCELLED * min(terms, MAX_TERMS * largest):
            return 0.0, s  # nothing but rounding errors of terms that cancel
        sums = np.abs(self.columns @ (self.w * s))
        left = sums[free] @ np.abs(v[free]) + np.abs(self.w @ s) * np.abs(middle).sum()
        limit = self.kink[bound]
        s = s * np.min(limit / np.maximum(sums[bound], limit), initial=1.0)
        gap = max(float(point.value + self.w @ P.loss.conjugates(P.y, s)), 0.0)
        return relative_gap(P, gap + 2 * float(left), point.value), s
