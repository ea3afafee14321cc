"""Line searches: how far to go from a point along a direction of descent s, with  φ(t) = P(θ + t s).

    halve                the first of t, t/2, t/4, … that is accepted
    halve_each           the same for many problems at once, each with its own t
    backtrack            the first of 1, ½, ¼, … with  φ(t) ≤ φ(0) + 10⁻⁴ t φ′(0)   (Armijo)
    backtrack_predicted  the same where a kink changes the prediction t φ′(0), or the path is not straight
    wolfe                also  φ′(t) ≥ 0.9 φ′(0), as quasi-Newton methods need
    minimize_along       near the minimum of a φ whose derivative is piecewise linear and increasing

`evaluate(t)` is the point at t, which has a `value`. Where rounding hides the decrease, the value may rise by as much.
Nocedal & Wright (2006), §3.1 and algorithm 3.5
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np

from linclass.base.arrays import Array

ARMIJO, CURVATURE = 1e-4, 0.9
ROUNDING = 1e-13  # relative error of a value
LEAST = 1e-10  # shortest step; shorter ones change nothing but rounding
FLAT = 0.1  # ratio of the derivatives at the end and at the start of `minimize_along`
TRIALS = 50


class Valued(Protocol):
    @property
    def value(self) -> float: ...


T = TypeVar("T")
P = TypeVar("P", bound=Valued)


def decreased(new: Any, old: Any, change: Any, rounding: float = ROUNDING) -> Any:
    """Armijo's condition for a predicted change t φ′(0) < 0, for one problem or an array of them."""
    return new <= old + ARMIJO * change + rounding * abs(old)


def halve(
    evaluate: Callable[[float], T],
    accepts: Callable[[T, float], bool],
    t: float = 1.0,
    least: float = LEAST,
) -> tuple[T, float]:
    """(evaluate(t), t) for the first of t, t/2, t/4, … that is accepted, or for the first below `least`."""
    new = evaluate(t)
    while not accepts(new, t) and t > least:
        t /= 2
        new = evaluate(t)
    return new, t


def halve_each(evaluate: Callable[[Array], T], accepts: Callable[[T], Array], count: int) -> T:
    """evaluate(t) with a t for each of `count` problems, found as by `halve`."""
    t = np.ones(count)
    new = evaluate(t)
    while (longer := ~accepts(new) & (t > LEAST)).any():
        t[longer] /= 2
        new = evaluate(t)
    return new


def backtrack(
    point: P, evaluate: Callable[[float], P], slope: float, rounding: float = ROUNDING
) -> tuple[P, float]:
    """(evaluate(t), t) for the first of t = 1, ½, ¼, … with sufficient decrease; `slope` is φ′(0).

    The point itself, and 0, if there is none.
    """
    old = point.value

    def lower(new: P, t: float) -> bool:
        return bool(decreased(new.value, old, t * slope, rounding))

    new, t = halve(evaluate, lower)
    return (new, t) if lower(new, t) else (point, 0.0)


def backtrack_predicted(point: P, evaluate: Callable[[float], tuple[P, float]]) -> P:
    """The first point of t = 1, ½, ¼, … with sufficient decrease; `evaluate` gives it and the decrease predicted.

    The point itself if the step overflows.
    """

    def enough(seen: tuple[P, float], t: float) -> bool:
        return bool(decreased(seen[0].value, point.value, -max(seen[1], 0.0)))

    (new, _), _ = halve(evaluate, enough)
    return new if np.isfinite(new.value) else point


def wolfe(point: Any, evaluate: Callable[[float], Any], direction: Array, t: float) -> Any:
    """A point that satisfies both Wolfe conditions, tried first at t, or the point itself if none is lower.

    Bisection between a step that is too short and one that is too long.
    """
    slope = float(np.vdot(point.gradient, direction))
    if slope >= 0:
        return point
    low, high = 0.0, np.inf
    for _ in range(TRIALS):
        new = evaluate(t)
        if not decreased(new.value, point.value, t * slope, ROUNDING / 10):
            high = t
        elif np.vdot(new.gradient, direction) < CURVATURE * slope:
            low = t
        else:
            return new
        t = 2 * low if np.isinf(high) else (low + high) / 2
    return new if new.value < point.value else point


def minimize_along(
    point: P,
    new: P,
    evaluate: Callable[[float], P],
    slope: float,
    derivatives: Callable[[P, float], tuple[float, float]],
    share: float = FLAT,
) -> tuple[P, float]:
    """(evaluate(t), t) near the minimum within (0, 1], from `new`, the point at t = 1.

    Newton's method for the root of φ′, safeguarded by the bracket between the last t with a negative and the last
    with a positive derivative; `derivatives` are (φ′, φ″). It ends where |φ′| is at most a `share` of that at t = 0,
    which may still be far beyond the minimum, unless φ has not risen.
    """
    t, old = 1.0, point.value
    low, high = 0.0, 1.0
    for _ in range(TRIALS):
        rise, curvature = derivatives(new, t)
        flat = abs(rise) <= share * abs(slope) and new.value <= old + ROUNDING * abs(old)
        if flat or (rise < 0 and t == 1):
            break
        low, high = (t, high) if rise < 0 else (low, t)
        t -= rise / curvature if curvature > 0 else np.inf
        if not low < t < high:
            t = (low + high) / 2
        new = evaluate(t)
    return new, t
