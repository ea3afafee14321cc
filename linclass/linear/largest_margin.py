"""The separating hyperplane of largest margin γ, and Novikoff's bound (R/γ)² on the mistakes of the perceptron."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from linclass.base.arrays import SMALLEST, Array, ArrayLike, MatrixLike
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.margin import Hinge
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers.augmented_lagrangian import method_of_multipliers, one_round
from linclass.separation.separability import (
    Separation,
    Undecided,
    certain_margin,
    length_of,
    of_pairs,
    proved,
    separation,
)
from linclass.separation.signed_rows import SignedRows

# The separating hyperplane of maximum margin:  min ½‖w‖²  subject to  y_i (w·x_i + b) ≥ 1,
#
# the limit C → ∞ of the soft margin. Its margin γ = 1/‖w‖ is half the distance between the classes' convex hulls:
#
#     γ = max_{w,b} min_i y_i (w·x_i + b)/‖w‖ = min ‖Σ α_i y_i x_i‖,   α ≥ 0, Σ α_i = 1, Σ α_i y_i = 0
#
# (the last condition for an unpenalized intercept). So any w is a lower bound of γ and any α an upper bound, which
# gives the certificate. An α for which the right side is 0 proves that the classes are not separable: two convex
# combinations of their rows coincide. Squared distances have half the digits of the rows, so if the right side is
# only small, `proved` decides.   Bennett & Bredensteiner (2000), ICML

UNPROVED = 1e-10  # relative to the spread of the rows: smaller bounds are verified exactly
ROUNDED_MARGIN = 1e-14  # relative to the spread: smaller margins are rounding
COINCIDE = 1e-12  # ‖Zᵀα‖∞, the columns of Z being within [−1, 1]
STEP_GROWTH = 10.0  # of the reach
MAX_STEPS, STEPS_OF_A_ROUND = 1000, 500  # of Newton's method


class HardHinge(Hinge):
    """ℓ(m) = 0 for m ≥ 1, else ∞; only its prox and conjugate are used."""

    def conjugate(self, a: Array) -> Array:
        return np.where(a >= 0, -a, np.inf)

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        free = reach - y * v
        a = np.maximum(free, 0)
        return -y * a, a == free


@dataclass(frozen=True)
class MaximumMargin:
    theta: Array  # (w, b), scaled so that the nearest rows have y z = 1; zero when inseparable
    alpha: Array  # Σ α = 1: weights of the nearest points of the convex hulls
    margin: float  # γ, 0 if inseparable
    bound: float  # upper bound of γ
    n_iter: int

    @property
    def separable(self) -> bool:
        return self.margin > 0

    @property
    def gap(self) -> float:
        """(P − D)/P for P = ½‖w‖² = 1/(2γ²) and D = 1/(2·bound²); the bound itself if nothing separates."""
        if not self.separable:
            return self.bound
        primal, dual = 0.5 / self.margin**2, 0.5 / self.bound**2
        return float(max(primal - dual, 0.0) / primal)


def maximum_margin(design: DesignMatrix, y: Array, tol: float = 1e-6) -> MaximumMargin:
    """The separation of largest margin. With an unpenalized intercept dense rows are copied and centred first."""
    if not design.intercept or design.is_sparse:
        separation = _maximum_margin(design, y, tol)
    else:
        middle = (design.X.min(axis=0) + design.X.max(axis=0)) / 2  # exact for equal entries
        separation = _maximum_margin(DesignMatrix(design.X - middle), y, tol)
        separation.theta[-1] -= middle @ separation.theta[:-1]
    rows = SignedRows(design.X, y, design.intercept)
    if separation.separable and rows.are_right(*_plane(separation.theta, design)):
        return separation
    return with_proof(separation, design, rows)


def _plane(theta: Array, design: DesignMatrix) -> tuple[Array, float]:
    d = design.n_features
    return theta[:d], float(theta[d]) if design.intercept else 0.0


def with_proof(found: MaximumMargin, design: DesignMatrix, rows: SignedRows) -> MaximumMargin:
    """A separating hyperplane whose margin is not the largest, or an α that proves that there is none."""
    proof = proved(rows)
    if proof.direction is None or proof.kind != "complete":
        if np.abs(rows.rmatvec(proof.multipliers)).max() > COINCIDE:
            raise Undecided
        between = design.pull(proof.multipliers * rows.y)[: design.n_features]
        bound = min(found.bound, float(np.linalg.norm(between)))
        zero = np.zeros_like(found.theta)
        return replace(found, theta=zero, alpha=proof.multipliers, margin=0.0, bound=bound)
    w, b = rows.hyperplane(proof.direction)
    margin, b = certain_margin(w, b, rows, "free" if design.intercept else "none")
    theta = np.append(w, [b] * design.intercept) / (margin * length_of(w))
    spread = float(np.sqrt(spread_of_rows(design)))
    bound = max(found.bound, margin) + UNPROVED * spread
    return MaximumMargin(theta, found.alpha, margin, bound, found.n_iter)


def _maximum_margin(design: DesignMatrix, y: Array, tol: float) -> MaximumMargin:
    n = design.n_rows
    objective = Objective(design, HardHinge(), y, None, L2(), 1 / n)
    spread = float(np.sqrt(spread_of_rows(design)))
    reach = 1 / (spread * spread) if spread else 1.0
    n_iter, best = 0, np.inf
    found: MaximumMargin | None = None

    def minimized(
        point: Point, slopes: Array, reach: float, certificate: float, left: int
    ) -> tuple[Point, Array, int]:
        nonlocal n_iter
        point, slopes, steps = one_round(
            point, slopes, reach, np.inf, min(STEPS_OF_A_ROUND, left), first_band=np.inf
        )
        n_iter += steps
        return point, slopes, steps

    def judged(point: Point, slopes: Array) -> float:
        """The gap as a share of the one that suffices."""
        nonlocal found, best
        now = judge(objective, point.theta, slopes, spread, n_iter)
        gap = now.gap / max(tol if now.separable else UNPROVED * spread, SMALLEST)
        if found is None or gap < best:
            found, best = now, gap
        return gap

    start = objective.at(objective.zero())
    method_of_multipliers(
        minimized, judged, start, np.zeros(n), reach, 1.0, MAX_STEPS, growth=STEP_GROWTH
    )
    assert found is not None
    return found


def judge(
    objective: Objective, theta: Array, slopes: Array, spread: float, n_iter: int
) -> MaximumMargin:
    """The bounds from w and α, each on its own."""
    design, y, d = objective.design, objective.y, objective.design.n_features
    if design.intercept:
        slopes = objective.loss.balance(y, slopes, objective.weights)
    total = -float(y @ slopes)
    alpha = -y * slopes / total if total > 0 else np.zeros_like(slopes)
    bound = float(np.linalg.norm(design.pull(alpha * y)[:d])) if total > 0 else np.inf
    nearest = float((y * design.scores(theta)).min())
    length = float(np.linalg.norm(theta[:d]))
    if length == 0 or nearest <= ROUNDED_MARGIN * spread * length:
        return MaximumMargin(np.zeros_like(theta), alpha, 0.0, bound, n_iter)
    return MaximumMargin(theta / nearest, alpha, nearest / length, bound, n_iter)


def spread_of_rows(design: DesignMatrix) -> float:
    """Mean squared distance of rows from their mean, or from 0 for hyperplanes through the origin."""
    square = float(design.squared_row_norms().mean()) - design.intercept
    if not design.intercept:
        return square
    mean = design.pull(np.full(design.n_rows, 1 / design.n_rows))[: design.n_features]
    return max(square - float(mean @ mean), 0.0)


@dataclass(frozen=True)
class LargestMargin(Separation):
    """A separation with the largest margin γ, and an upper `bound` of it from points of both convex hulls.

    `status` is 'converged' if the two are within the tolerance, else 'max_iter': then a larger margin may exist.
    """

    bound: float
    radius: float  # R = max ‖x_i‖, the constant feature being part of x_i
    status: str
    reason: str

    @property
    def gap(self) -> float:
        """Relative gap of ½‖w‖² = 1/(2γ²); 0 if the classes are not separable."""
        return max(1 - (self.margin / self.bound) ** 2, 0.0) if self.separable else 0.0

    @property
    def most_mistakes(self) -> float:
        """Novikoff (1962): in all, the perceptron makes at most (R/γ)² mistakes; ∞ if inseparable.

        Its intercept is the weight of a constant, so a free one has no such bound.
        """
        if self.intercept_kind == "free":
            raise ValueError("the perceptron's intercept is a feature: use intercept='feature'.")
        return (self.radius / self.margin) ** 2 if self.margin > 0 else np.inf


def largest_margin(X: MatrixLike, y: ArrayLike, intercept: str = "free", tol: float = 1e-6) -> Any:
    """The separating hyperplane of largest margin, and the perceptron's bound (R/γ)² on mistakes.

        γ = max min_i y_i w·x_i/‖w‖             intercept 'none'
        γ = the same for the rows (x_i, 1)      intercept 'feature', the perceptron's
        γ = max min_i y_i (w·x_i + b)/‖w‖       intercept 'free', the support vector machine's

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, d)
        Rows; finite numbers.
    y : array of shape (n,)
        Class of each row.
    intercept : {'free', 'feature', 'none'}, default='free'
        Hyperplanes: 'none' through the origin; 'free' and 'feature' anywhere. The norm of the weights,
        by which the margin is measured, includes the intercept only for 'feature'.
    tol : float, default=1e-06
        Tolerance of the relative gap of ½‖w‖² between γ and its upper `bound`; `status` says whether
        it was reached.

    Returns
    -------
    LargestMargin or dict
        For more than two classes a dict {(k, l): LargestMargin} over the pairs of classes.
    """
    if not (isinstance(tol, Real) and tol >= 0):
        raise ValueError(f"tol is {tol!r}; it must be a number, at least 0.")

    def of_pair(rows: SignedRows, classes: tuple[Any, Any]) -> LargestMargin:
        return _with_largest_margin(separation(proved(rows), rows, classes, intercept), rows, tol)

    return of_pairs(X, y, intercept, of_pair)


def _with_largest_margin(found: Separation, rows: SignedRows, tol: float) -> LargestMargin:
    """The separation found, with the hyperplane of largest margin if there is one."""
    kind = found.intercept_kind
    design = DesignMatrix(rows.X, kind == "free")
    if kind == "feature":
        design = design.with_constant_feature()
    radius = float(np.sqrt(design.squared_row_norms().max()))
    w, b, margin, bound = found.weights, found.intercept, 0.0, 0.0
    if found.separable:
        best = maximum_margin(design, rows.y, tol)
        margin, bound = found.margin, best.bound
        if best.separable:
            theta, d = best.theta, rows.n_features
            plane = theta[:d], 0.0 if kind == "none" else float(theta[d])
            if rows.are_right(*plane):
                margin, b = certain_margin(*plane, rows, kind)
                w = plane[0]
    of_found = found.kind, found.classes, kind, w, b, margin, found.multipliers
    largest = LargestMargin(*of_found, bound, radius, "converged", "")
    if largest.gap <= tol:
        return largest
    remedy = "" if kind == "free" else ", or use intercept='free'"
    known = f"the margin is {margin:.3g}, and only known to be at most {bound:.3g}"
    reason = f"{known}. Standardize the columns{remedy}."
    return replace(largest, status="max_iter", reason=reason)
