"""Does maximum likelihood have an optimum? It has none if some direction d has no row on the wrong side:

    m_i(d) ≥ 0 for all rows i,  and > 0 for some,    m_i(d) = y_i x_i·d,  or min_k (z_y − z_k).

Along such a d the likelihood increases without a maximum. If all m_i > 0, the classes are completely separated, and
the fit itself finds d; else quasi-completely. Large scores and long steps only suggest it. The decision is by a
proof: d on all rows; or, near an optimum, the slopes there, which are multipliers λ > 0 with Xᵀλ ≈ 0 and exclude
every d (separation/witness.py); or the proof of `separability`.   Albert & Anderson (1984), Biometrika 71"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array
from linclass.base.messages import NotApplicable
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import Solution
from linclass.linear.solvers.newton import Newton, inverse_hessian
from linclass.linear.solvers.newton_cg import NewtonCg
from linclass.separation.separability import Undecided, proved
from linclass.separation.signed_rows import SignedRows
from linclass.separation.witness import COLUMNS, MAX_INTEGER_ENTRIES, only_zero

# Each inequality m_i(d) ≥ 0 is a row of a matrix A, so the question is that of separability: is A d ≥ 0 ≠ A d for
# some d? For K classes the rows are z_y(d) − z_k(d) for each training row and each other class k; the last class has
# score 0.

MAX_INEQUALITIES = 200_000_000  # parameters × inequalities: beyond this the answer may take minutes
MAX_PROGRAM = 500_000  # the same for a linear program, where Newton's method proves nothing


class Recession(NamedTuple):
    """A direction in which the objective decreases without end; there is none if it is None and that is decided."""

    direction: Array | None = None  # of length 1, shaped like theta; it separates, at least weakly
    decided: bool = True  # else a direction may exist or not


def recession_along(d: Array) -> Recession:
    return Recession(d / np.linalg.norm(d))


def solve_inequalities(A: sparse.csr_array, strict: Array | None = None) -> Recession:
    """A d with A d ≥ 0, not all 0; `strict`, if given, is one with A d > 0 but for rounding."""
    if A.shape[0] * A.shape[1] > MAX_INEQUALITIES:
        return Recession(decided=False)
    rows = SignedRows(A, np.ones(A.shape[0]), constant=False)
    if strict is not None and rows.are_right(strict, 0.0):
        return recession_along(strict)
    return _proved(rows)


def _proved(rows: SignedRows) -> Recession:
    small = rows.n_rows * rows.width <= MAX_PROGRAM
    try:
        d = proved(rows, "newton" if small else "newton_alone").direction
    except (Undecided, NotApplicable):
        return Recession(decided=False)
    if d is None:
        return Recession()
    w, b = rows.hyperplane(d)
    return recession_along(np.append(w, [b] * rows.constant))


class Inequalities:
    """The inequalities of the rows of an objective, and what a point of it proves about them."""

    def __init__(self, objective: Objective):
        self.objective, design = objective, objective.design
        self.many = len(objective.shape) > 1
        self.classes = objective.loss.n_classes if self.many else 2
        self.too_many = design.n_rows * design.width * (self.classes - 1) ** 2 > MAX_INEQUALITIES
        if self.too_many:
            return
        if self.many:
            A = self._differences_of_scores()
            self.rows = SignedRows(A, np.ones(A.shape[0]), constant=False)
        else:
            self.rows = SignedRows(design.X, objective.y, design.intercept)

    def hold_at(self, point: Point) -> bool:
        """Strictly for every row: complete separation."""
        if not point.separates:
            return False
        theta = point.theta
        if self.many and len(theta) == self.classes:
            theta = theta[:-1] - theta[-1]
        theta = theta.ravel()
        if self.rows.constant:
            return self.rows.are_right(theta[:-1], float(theta[-1]))
        return self.rows.are_right(theta, 0.0)

    def excluded_by(self, point: Point) -> bool:
        """Excluded by the slopes of the loss, multipliers −w ∂ℓ/∂m > 0 of the inequalities."""
        w, y = self.objective.weights, self.objective.y
        if not self.many:
            multipliers = w * np.abs(point.slopes)
        else:
            P = point.curvatures  # of softmax: the probabilities
            P = P if len(P) == self.classes else np.vstack([P, 1 - P.sum(axis=0)])
            multipliers = np.concatenate([(w * P[k])[y != k] for k in range(self.classes)])
        return bool((multipliers > 0).all()) and only_zero(self.rows, multipliers)

    def solution(self) -> Recession:
        recession = _proved(self.rows)
        if recession.direction is None or not self.many:
            return recession
        theta = recession.direction.reshape(-1, self.objective.design.width)
        last = self.objective.shape[0] - len(theta)
        return Recession(np.vstack([theta, np.zeros((last, theta.shape[1]))]))

    def _differences_of_scores(self) -> sparse.csr_array:
        design, y, free = self.objective.design, self.objective.y, self.classes - 1
        if not design.is_sparse:
            X = sparse.csr_array(design.dense())
        else:
            X = design.with_constant_feature().X if design.intercept else design.X
        blocks = []
        for k in range(self.classes):
            others = np.flatnonzero(y != k)
            pick = np.zeros((self.classes, len(others)))
            pick[y[others], np.arange(len(others))] = 1
            pick[k] -= 1
            parts = [sparse.diags_array(pick[l]) @ X[others] for l in range(free)]
            blocks.append(sparse.hstack(parts))
        return sparse.csr_array(sparse.vstack(blocks))


LONG_STEP = 0.05  # scores that a Newton step still changes on its way to infinity
CLOSE_CERTIFICATE = 1e-5  # a certificate up to which small scores do not suggest it
MAX_HESSIAN = 500  # parameters whose dense Hessian is cheap

SEPARABLE = (
    "{} can be separated, so the likelihood has no maximum: it increases along a separating direction; "
    "add a penalty, or use FirthLogisticRegression."
)
DESCENDS = "{} can be separated, so the loss has no minimum: it decreases along a separating direction; add a penalty."
UNDECIDED = (
    "the classes are so nearly separable that it is undecided whether the likelihood has a maximum; "
    "add a penalty."
)


def recession_of_fit(objective: Objective, solution: Solution) -> Recession | None:
    """Whether a likelihood has no maximum, or a loss that only tends to 0 no minimum, where no penalty rules it out."""
    objective = objective.without_offset
    if not objective.loss.convex:  # only complete separation, by the fit itself, is known to be one
        point = solution.point_of(objective)
        if not point.separates:
            return None
        inequalities = Inequalities(objective)
        separated = not inequalities.too_many and inequalities.hold_at(point)
        return recession_along(point.theta) if separated else None
    if not objective.strength:
        return _recession_without_penalty(objective, solution)
    return _recession_where_free(objective, solution)


def _recession_without_penalty(objective: Objective, solution: Solution) -> Recession:
    """Whether an objective without a penalty decreases for ever in some direction; a solver stopped at `solution`."""
    point = solution.point_of(objective)
    if is_plainly_optimal(solution, point):
        return Recession()
    inequalities = Inequalities(objective)
    if inequalities.too_many:
        return Recession(decided=False)
    if inequalities.hold_at(point):
        return recession_along(point.theta)
    if not solution.converged:  # go on, with a solver of second order
        few = objective.n_parameters <= MAX_HESSIAN
        solver = Newton(max_iter=50) if few else NewtonCg(max_iter=50)
        point = objective.at(solver.solve(objective, solution.theta).theta)
        if inequalities.hold_at(point):
            return recession_along(point.theta)
    if inequalities.excluded_by(point):
        return Recession()
    return inequalities.solution()


def _recession_where_free(objective: Objective, solution: Solution) -> Recession | None:
    """The recession if some features have no penalty: d is 0 for all others, and along d the scores grow."""
    columns = np.zeros(objective.design.width, dtype=bool)
    columns[objective.columns_without_penalty] = True
    free = np.flatnonzero(columns[: objective.design.n_features])
    design = objective.design.take_features(free)
    part = Objective(design, objective.loss, objective.y, objective.weights)
    theta = np.ascontiguousarray(solution.theta[..., columns])
    if solution.converged and np.abs(part.at(theta).scores).max() < objective.loss.certain:
        return None
    recession = _recession_without_penalty(part, replace(solution, theta=theta, converged=False))
    if recession.direction is None:
        return None if solution.converged else recession
    d = np.zeros((*recession.direction.shape[:-1], len(columns)))
    d[..., columns] = recession.direction
    return Recession(d)


def is_plainly_optimal(solution: Solution, point: Point) -> bool:
    """An optimum at small scores, or where Newton steps vanish; small problems are always examined."""
    objective, p = point.objective, point.objective.n_parameters
    few = p <= MAX_HESSIAN
    if p <= COLUMNS and objective.design.n_rows * p <= MAX_INTEGER_ENTRIES:
        return False
    if not solution.converged or solution.certificate > CLOSE_CERTIFICATE:
        return False
    certain = objective.loss.certain * (1 if few else 4)
    if float(np.abs(point.scores).max()) < certain:
        return True
    if not few:
        return False
    # along a recession of e^{−m} a Newton step changes m by 1, of Φ(−m) by 1/m
    inverse = inverse_hessian(objective, point.hessian)
    step = inverse.times(point.gradient.ravel()).reshape(objective.shape)
    return bool(np.abs(objective.design.scores(step)).max() <= LONG_STEP)
