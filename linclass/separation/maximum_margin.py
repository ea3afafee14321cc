"""The separating hyperplane of largest margin:  min ½‖w‖²  subject to  y_i (w·x_i + b) ≥ 1,

the soft margin's limit C → ∞. Its margin γ = 1/‖w‖ is half the distance of the classes' convex hulls:

    γ = max_{w,b} min_i y_i (w·x_i + b)/‖w‖ = min ‖Σ α_i y_i x_i‖,   α ≥ 0, Σ α_i = 1, Σ α_i y_i = 0

(the last for a free intercept). So any w bounds γ from below and any α from above, which proves the
answer; and an α for which the right side vanishes proves that the classes cannot be separated: two
convex combinations of their rows coincide.   Bennett & Bredensteiner (2000), ICML
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linclass.losses.hinge import Hinge
from linclass.numerics import Array, DesignMatrix
from linclass.objective import Objective
from linclass.penalties.l2 import L2
from linclass.solvers.semismooth_newton import one_round

TOUCHING = 1e-10  # a margin this small, beside the spread of the rows, is rounding
ROUNDS = 25


class HardHinge(Hinge):
    """ℓ(m) = 0 for m ≥ 1, else ∞: only its prox and conjugate are ever looked at."""

    def conjugate(self, a: Array) -> Array:
        return np.where(a >= 0, -a, np.inf)

    def nearest_slopes(self, y: Array, v: Array, reach: float) -> tuple[Array, Array]:
        free = reach - y * v
        a = np.maximum(free, 0)
        return -y * a, a == free


@dataclass(frozen=True)
class MaximumMargin:
    theta: Array  # (w, b), scaled so that the nearest rows have y z = 1; zero when inseparable
    alpha: Array  # Σ α = 1: of the points of the convex hulls that lie nearest to each other
    margin: float  # γ, 0 when inseparable
    bound: float  # no hyperplane has a larger margin
    n_iter: int

    @property
    def separable(self) -> bool:
        return self.margin > 0

    @property
    def gap(self) -> float:
        """Relative, of ½‖w‖²."""
        return 1 - (self.margin / self.bound) ** 2 if self.separable else self.bound


def maximum_margin(design: DesignMatrix, y: Array, tol: float = 1e-6) -> MaximumMargin:
    """A free intercept makes it the same for centred rows, which costs dense ones a copy."""
    if not design.intercept or design.is_sparse:
        return _maximum_margin(design, y, tol)
    mean = design.X.mean(axis=0)
    found = _maximum_margin(DesignMatrix(design.X - mean), y, tol)
    found.theta[-1] -= mean @ found.theta[:-1]
    return found


def _maximum_margin(design: DesignMatrix, y: Array, tol: float) -> MaximumMargin:
    n = design.n_rows
    objective = Objective(design, HardHinge(), y, None, L2(), 1 / n)
    spread = float(np.sqrt(spread_of_rows(design)))
    reach = 1 / max(spread * spread, 1e-300)
    point, slopes = objective.at(objective.zero()), np.zeros(n)
    n_iter, found = 0, None
    for _ in range(ROUNDS):
        point, slopes, steps = one_round(point, slopes, reach, np.inf, 500)
        n_iter, reach = n_iter + steps, 10 * reach
        found = judge(objective, point.theta, slopes, spread, n_iter)
        if found.gap <= (tol if found.separable else TOUCHING * spread):
            break
    assert found is not None
    return found


def judge(
    objective: Objective, theta: Array, slopes: Array, spread: float, n_iter: int
) -> MaximumMargin:
    """What w and α prove, each on its own."""
    design, y, d = objective.design, objective.y, objective.design.n_features
    if design.intercept:
        slopes = objective.loss.balance(y, slopes, objective.weights)
    total = -float(y @ slopes)
    alpha = -y * slopes / total if total > 0 else np.zeros_like(slopes)
    bound = float(np.linalg.norm(design.pull(alpha * y)[:d])) if total > 0 else np.inf
    nearest = float((y * design.scores(theta)).min())
    length = float(np.linalg.norm(theta[:d]))
    if nearest <= 0 or length == 0 or bound <= TOUCHING * spread:
        return MaximumMargin(np.zeros_like(theta), alpha, 0.0, bound, n_iter)
    return MaximumMargin(theta / nearest, alpha, nearest / length, bound, n_iter)


def spread_of_rows(design: DesignMatrix) -> float:
    """Mean square distance of rows from their mean, or from 0 when hyperplanes go through it."""
    square = float(design.row_norms().mean()) - design.intercept
    if not design.intercept:
        return square
    mean = design.pull(np.full(design.n_rows, 1 / design.n_rows))[: design.n_features]
    return max(square - float(mean @ mean), 0.0)
