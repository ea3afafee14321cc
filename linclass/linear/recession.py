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
from linclass.separation.witness import COLUMNS, EXACT, only_zero

# The inequalities m_i(d) ≥ 0, of which recession.py asks for a solution d that makes some of them strict.
#
#     two classes   m_i(d) = y_i x_i·d
#     K classes     z_y(d) − z_k(d) for each row and each other class k; the last class has score 0
#
# Each is a row of a matrix A, so the question is that of separability, whether A d ≥ 0 ≠ A d for some d.

MAX_INEQUALITIES = 200_000_000  # parameters × inequalities: beyond this the answer may take minutes


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
    try:
        d = proved(rows).direction
    except (Undecided, NotApplicable):
        return Recession(decided=False)
    if d is None:
        return Recession()
    w, b = rows.hyperplane(d)
    return recession_along(np.append(w, [b] * rows.constant))


def inequalities_of(objective: Objective) -> Inequalities | None:
    """None if there are too many."""
    others = objective.loss.n_classes - 1 if len(objective.shape) > 1 else 1
    size = objective.design.n_rows * objective.design.width * others**2
    return Inequalities(objective) if size <= MAX_INEQUALITIES else None


class Inequalities:
    """The inequalities of the rows of an objective, and what a point of it proves about them."""

    def __init__(self, objective: Objective):
        self.objective, design = objective, objective.design
        self.many = len(objective.shape) > 1
        self.classes = objective.loss.n_classes if self.many else 2
        if self.many:
            A = self._of_classes()
            self.rows = SignedRows(A, np.ones(A.shape[0]), constant=False)
        else:
            self.rows = SignedRows(design.X, objective.y, design.intercept)

    def hold_at(self, point: Point) -> bool:
        """Strictly for every row: complete separation."""
        if not point.separates:
            return False
        theta = self._relative(point.theta).ravel()
        return self.rows.are_right(*self._hyperplane(theta))

    def excluded_by(self, point: Point) -> bool:
        """Excluded by the slopes of the loss, multipliers −w ∂ℓ/∂m > 0 of the inequalities."""
        w, slopes = self.objective.weights, point.slopes
        if not self.many:
            multipliers = w * np.abs(slopes)
        else:
            P = point.curvatures  # of softmax: the probabilities
            P = P if len(P) == self.classes else np.vstack([P, 1 - P.sum(axis=0)])
            y = self.objective.y
            multipliers = np.concatenate([(w * P[k])[y != k] for k in range(self.classes)])
        return bool((multipliers > 0).all()) and only_zero(self.rows, multipliers)

    def solution(self) -> Recession:
        found = _proved(self.rows)
        if found.direction is None or not self.many:
            return found
        theta = found.direction.reshape(-1, self.objective.design.width)
        last = self.objective.shape[0] - len(theta)
        return Recession(np.vstack([theta, np.zeros((last, theta.shape[1]))]))

    def _relative(self, theta: Array) -> Array:
        return theta if len(theta) < self.classes or not self.many else theta[:-1] - theta[-1]

    def _hyperplane(self, theta: Array) -> tuple[Array, float]:
        return (theta[:-1], float(theta[-1])) if self.rows.constant else (theta, 0.0)

    def _of_classes(self) -> sparse.csr_array:
        design, y, free = self.objective.design, self.objective.y, self.classes - 1
        if not design.is_sparse:
            X = sparse.csr_array(design.dense())
        else:
            X = design.with_constant_feature().X if design.intercept else design.X
        rows = []
        for k in range(self.classes):
            others = np.flatnonzero(y != k)
            pick = np.zeros((self.classes, len(others)))
            pick[y[others], np.arange(len(others))] = 1
            pick[k] -= 1
            own = X[others]
            rows.append(sparse.hstack([sparse.diags_array(pick[l]) @ own for l in range(free)]))
        return sparse.csr_array(sparse.vstack(rows))


LONG_STEP = 0.05  # scores that a Newton step still changes on its way to infinity
CLOSE_CERTIFICATE = 1e-5  # a certificate up to which small scores do not suggest it
MAX_HESSIAN = 500  # parameters whose dense Hessian is cheap

SEPARABLE = (
    "{} can be separated, so the likelihood has no maximum: it increases along separating_direction_; "
    "add a penalty, or use FirthLogisticRegression."
)
DESCENDS = "{} can be separated, so the loss has no minimum: it decreases along separating_direction_; add a penalty."
UNDECIDED = (
    "the classes are so nearly separable that it is undecided whether the likelihood has a maximum; "
    "add a penalty."
)


def recession_of_fit(objective: Objective, solution: Solution) -> Recession | None:
    """Whether a likelihood has no maximum, or a loss that only tends to 0 no minimum, where no penalty rules it out."""
    if objective.has_minimum:
        return None
    if not objective.loss.convex:
        return _separated(objective.without_offset, solution)
    if not objective.strength:
        return recession_without_penalty(objective.without_offset, solution)
    return _recession_where_free(objective.without_offset, solution)


def _separated(objective: Objective, solution: Solution) -> Recession | None:
    """Of a loss that is not convex only complete separation, by the fit itself, is known to be one."""
    point = solution.point_of(objective)
    if not point.separates:
        return None
    inequalities = inequalities_of(objective)
    found = inequalities is not None and inequalities.hold_at(point)
    return recession_along(point.theta) if found else None


def recession_without_penalty(objective: Objective, solution: Solution) -> Recession:
    """Whether an objective without a penalty decreases for ever in some direction; a solver stopped at `solution`."""
    point = solution.point_of(objective)
    if is_plainly_optimal(solution, point):
        return Recession()
    inequalities = inequalities_of(objective)
    if inequalities is None:
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
    """The same for a penalty that leaves features out: d is 0 in all others, along d their part of the scores grows."""
    free = objective.unpenalized
    assert free is not None
    columns = np.append(free, np.ones(objective.design.width - len(free), dtype=bool))
    design = objective.design.take_features(np.flatnonzero(free))
    part = Objective(design, objective.loss, objective.y, objective.weights)
    theta = np.ascontiguousarray(solution.theta[..., columns])
    if solution.converged and np.abs(part.at(theta).scores).max() < objective.loss.certain:
        return None
    found = recession_without_penalty(part, replace(solution, theta=theta, converged=False))
    if found.direction is None:
        return None if solution.converged else found
    d = np.zeros((*found.direction.shape[:-1], len(columns)))
    d[..., columns] = found.direction
    return Recession(d)


def is_plainly_optimal(solution: Solution, point: Point) -> bool:
    """An optimum at small scores, or where Newton steps vanish; small problems are always examined."""
    objective = point.objective
    p = objective.n_parameters
    few = p <= MAX_HESSIAN
    if p <= COLUMNS and objective.design.n_rows * p <= EXACT:
        return False
    if not solution.converged or solution.certificate > CLOSE_CERTIFICATE:
        return False
    certain = objective.loss.certain * (1 if few else 4)
    if float(np.abs(point.scores).max()) < certain:
        return True
    return few and not _has_long_step(point)


def _has_long_step(point: Point) -> bool:
    """Along a recession of e^{−m} a Newton step changes m by 1, of Φ(−m) by 1/m."""
    objective = point.objective
    step = (
        inverse_hessian(objective, point.hessian)
        .times(point.gradient.ravel())
        .reshape(objective.shape)
    )
    return bool(np.abs(objective.design.scores(step)).max() > LONG_STEP)
