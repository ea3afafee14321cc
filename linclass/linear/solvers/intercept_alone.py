"""W = 0 with the best intercept:  Σ_i w_i ∂ℓ_i/∂z = 0.  It is the minimum if no slope exceeds the kink,
|Σ_i w_i (∂ℓ_i/∂z) x_ij| ≤ strength·kink_j for all j,  and otherwise the starting point: a step that still has
to find the intercept moves weights that should be 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linclass.base.arrays import Array
from linclass.base.numerics import backtrack
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Objective, Point

KINK_ROUNDING = 1e-12  # of the kink, by which slopes may exceed it
MAX_STEPS = 100
STRAIGHT_SLOPE = 1e-9  # slope of a mean of piecewise quadratic losses that Newton's method left on a straight piece
MAX_INTERCEPT = 2.0**60


def start_of_weights(objective: Objective, start: Array) -> Point:
    """The start, or the best intercept if there is a kink and the start has no weights."""
    free = objective.design.intercept and objective.loss.kind == "twice-smooth"
    if not objective.kinked or not free or objective.weight_part(start).any():
        return objective.at(start)
    return best_intercept(objective)


def best_intercept(objective: Objective) -> Point:
    """By Newton's method, until the derivative is 0 up to rounding; by bisection, where the loss is straight."""
    n, w, loss = objective.design.n_rows, objective.weights, objective.loss

    def at(b: Array) -> Point:
        theta = objective.zero()
        theta[..., -1] = b
        return Point(objective, theta, np.repeat(b[..., None], n, axis=-1))

    def along(b: Array, step: Array) -> Callable[[float], Point]:
        return lambda t: at(b + t * step)

    b = np.zeros(objective.shape[:-1])
    point, left = at(b), np.inf
    for _ in range(MAX_STEPS):
        g = point.slopes @ w
        if not np.abs(g).max() < left:
            break
        left = np.abs(g).max()
        H = loss.hessian(np.ones((n, 1)), w, point.curvatures)
        step = -np.linalg.lstsq(H, np.atleast_1d(g), rcond=1e-12)[0].reshape(b.shape)
        point, t = backtrack(point, along(b, step), float(np.vdot(g, step)))
        b = b + t * step
    if loss.piecewise_quadratic and np.abs(point.slopes @ w).max() > STRAIGHT_SLOPE:
        if b.ndim:
            return by_damped_steps(point, at)
        point = at(np.asarray(straight_to_zero(lambda b: float(at(np.asarray(b)).slopes @ w))))
    return point


def by_damped_steps(point: Point, at: Callable[[Array], Point]) -> Point:
    """The best intercepts of K scores by steps −(H + |g|)⁻¹g, which are at most 1 where the loss is straight."""
    objective = point.objective
    w, ones = objective.weights, np.ones((len(objective.weights), 1))
    for _ in range(MAX_STEPS):
        g, b = point.slopes @ w, point.theta[:, -1]
        if (size := float(np.linalg.norm(g))) <= STRAIGHT_SLOPE:
            break
        H = objective.loss.hessian(ones.copy(), w, point.curvatures)
        step = -np.linalg.solve(H + size * np.eye(len(b)), g)

        def along(t: float, b: Array = b, step: Array = step) -> Point:
            return at(b + t * step)

        point, _ = backtrack(point, along, float(g @ step))
    return point


def straight_to_zero(derivative: Callable[[float], float]) -> float:
    """A zero of an increasing function that may be constant far from it."""
    high = 1.0
    while derivative(high) * derivative(-high) > 0 and high < MAX_INTERCEPT:
        high *= 2
    return sum(bisected(derivative, high)) / 2


def bisected(derivative: Callable[[float], float], high: float) -> tuple[float, float]:
    """Ends, but for rounding, around a zero of an increasing function between −high and high."""
    low = -high
    for _ in range(MAX_STEPS):
        b = (low + high) / 2
        low, high = (b, high) if derivative(b) < 0 else (low, b)
    return low, high


def by_bisection(objective: Objective) -> Point:
    """The same for one score of a loss with kinks, by bisection between −max|y| and max|y|; or 0."""
    loss, y, w, n = objective.loss, objective.y, objective.weights, objective.design.n_rows
    theta, high = objective.zero(), float(np.abs(y).max())
    if not objective.design.intercept:
        return objective.at(theta)
    ends = bisected(lambda b: float(w @ loss.slopes(y, np.full(n, b))), high)
    theta[-1] = min(ends, key=lambda b: float(w @ loss.values(y, np.full(n, b))))
    return objective.at(theta)


def is_minimum(point: Point, units: Units) -> bool:
    """Whether the point has no weights, the best intercept, and no slope that exceeds the kink."""
    objective = point.objective
    if not objective.kinked or objective.weight_part(point.theta).any():
        return False
    if objective.design.intercept and np.abs(point.gradient[..., -1]).max() > STRAIGHT_SLOPE:
        return False
    return bool((np.abs(units.excess(point)) <= KINK_ROUNDING * objective.kink).all())
