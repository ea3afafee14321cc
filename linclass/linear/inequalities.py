"""The inequalities m_i(d) ≥ 0, of which recession.py asks for a solution d that makes some of them strict.

    two classes   m_i(d) = y_i x_i·d
    K classes     z_y(d) − z_k(d) for each row and each other class k; the last class has score 0

Each is a row of a matrix A, so the question is that of separability, whether A d ≥ 0 ≠ A d for some d.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array
from linclass.base.messages import NotApplicable
from linclass.linear.objective.objective import Objective, Point
from linclass.separation.decision import Undecided, proved
from linclass.separation.proofs.signed_rows import SignedRows
from linclass.separation.proofs.witness import only_zero

LARGEST = 200_000_000  # parameters × inequalities: beyond this the answer may take minutes


class Recession(NamedTuple):
    """A direction in which the objective decreases without end; there is none if it is None and that is decided."""

    direction: Array | None = None  # of length 1, shaped like theta; it separates, at least weakly
    decided: bool = True  # else a direction may exist or not


def recession_along(d: Array) -> Recession:
    return Recession(d / np.linalg.norm(d))


def solve_inequalities(A: sparse.csr_array, strict: Array | None = None) -> Recession:
    """A d with A d ≥ 0, not all 0; `strict`, if given, is one with A d > 0 but for rounding."""
    if A.shape[0] * A.shape[1] > LARGEST:
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
    return Inequalities(objective) if size <= LARGEST else None


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
