"""Starts of solvers: fits to a subset of the rows, and the best intercept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linclass.base.arrays import EPS, Array
from linclass.base.numerics import backtrack, solve_few
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Objective, Point

SUBSET_ABOVE_ROWS = 20_000  # rows above which a fit to a subset pays
MAX_CLASSES_OF_SUBSET = 100  # whose rows are looked for in a subset


def few_rows(
    objective: Objective, start: Array, part: int = 20, least: int = SUBSET_ABOVE_ROWS
) -> Objective | None:
    """The objective on n/part rows, at least 20 per feature; None if that would not pay.

    The objective is a mean over rows, so on one of every k rows it has the same strength, its solution is a good start
    for all rows, and its Hessian a good preconditioner. Without a penalty the start must be nearer, so more rows are
    taken; such a subset may be separable, and then has no solution.
    """
    n, p = objective.design.n_rows, objective.n_parameters
    per_feature, times = (20, 2) if objective.strength else (100, 10)
    rows = max(n // part, per_feature * objective.design.width, 4 * p)
    if n < least or times * rows > n or np.any(start):
        return None
    return objective.take(spread_rows(objective.y, n // rows))


def spread_rows(y: Array, step: int) -> Array:
    """Numbers of rows: one of every `step` consecutive rows, and one of each class that would be missing.

    The rows are drawn with a fixed seed: where classes alternate, every second row has the same class.
    """
    begins = np.arange(0, y.shape[-1] - step + 1, step)
    rows = begins + np.random.default_rng(0).integers(step, size=len(begins))
    if y.ndim > 1 or y.dtype.names is not None:
        return rows
    classes = np.unique(y[rows])
    if len(classes) > MAX_CLASSES_OF_SUBSET:  # or y is a number to predict
        return rows
    others = np.flatnonzero(~np.isin(y, classes))
    return np.concatenate([rows, others[np.unique(y[others], return_index=True)[1]]])


# W = 0 with the best intercept:  Σ_i w_i ∂ℓ_i/∂z = 0.  It is the minimum if no slope exceeds the kink,
# |Σ_i w_i (∂ℓ_i/∂z) x_ij| ≤ strength·kink_j for all j,  and otherwise the starting point: a step that still has to find
# the intercept moves weights that should be 0.

KINK_ROUNDING = 1e-12  # relative to the kink, by which slopes may exceed it
MAX_STEPS = 100
STRAIGHT_SLOPE = 1e-9  # slope of a mean of piecewise quadratic losses that Newton's method left on a linear piece
MAX_INTERCEPT = 2.0**60


def start_of_weights(objective: Objective, start: Array) -> Point:
    """The start, or the best intercept if there is a kink and the start has no weights."""
    free = objective.design.intercept and objective.loss.kind == "twice-smooth"
    if not objective.kinked or not free or objective.weight_part(start).any():
        return objective.at(start)
    return best_intercept(objective)


def best_intercept(objective: Objective) -> Point:
    """The point W = 0 with the best intercept: by Newton's method, until the derivative is 0 up to rounding; by
    bisection or damped steps, where the loss is linear.
    """
    n, w, loss = objective.design.n_rows, objective.weights, objective.loss

    def at(b: Array) -> Point:
        theta = objective.zero()
        theta[..., -1] = b
        return Point(objective, theta, np.repeat(b[..., None], n, axis=-1))

    def along(b: Array, step: Array) -> Callable[[float], Point]:
        return lambda t: at(b + t * step)

    b, fit = np.zeros(objective.shape[:-1]), None
    if not b.ndim and objective.y.dtype == float and abs(mean := float(w @ objective.y)) < 1:
        fit = loss.normal_fit(mean, 0.0)  # of features that explain nothing
    b = b if fit is None else b + fit[1]
    point, left = at(b), np.inf
    for _ in range(MAX_STEPS):
        g = point.slopes @ w
        if not EPS < np.abs(g).max() < left:
            break
        left = np.abs(g).max()
        H = loss.hessian(np.ones((n, 1)), w, point.curvatures)
        step = -solve_few(H, np.atleast_1d(g)).reshape(b.shape)
        point, t = backtrack(point, along(b, step), float(np.vdot(g, step)))
        b = b + t * step
    if loss.piecewise_quadratic and np.abs(point.slopes @ w).max() > STRAIGHT_SLOPE:
        if b.ndim:
            return by_damped_steps(point, at)
        ends = bisected(lambda b: float(at(np.asarray(b)).slopes @ w))
        point = at(np.asarray(sum(ends) / 2))
    return point


def by_damped_steps(point: Point, at: Callable[[Array], Point]) -> Point:
    """The best intercepts of K scores by steps −(H + |g|)⁻¹g, of length at most 1 where the loss is linear."""
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


def bisected(derivative: Callable[[float], float], high: float = 1.0) -> tuple[float, float]:
    """An interval, as small as rounding allows, around a zero of an increasing function, which may be constant far from
    it. The first interval is ±high, or twice as long as often as both ends have the same sign.
    """
    while derivative(high) * derivative(-high) > 0 and high < MAX_INTERCEPT:
        high *= 2
    low = -high
    for _ in range(MAX_STEPS):
        b = (low + high) / 2
        low, high = (b, high) if derivative(b) < 0 else (low, b)
    return low, high


def by_bisection(objective: Objective) -> Point:
    """The best intercept of one score of a nonsmooth loss, by bisection between −max|y| and max|y|; 0 without one."""
    loss, y, w, n = objective.loss, objective.y, objective.weights, objective.design.n_rows
    theta, high = objective.zero(), float(np.abs(y).max()) or 1.0
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
