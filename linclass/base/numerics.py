"""Parts of iterative methods: line searches, conjugate gradients, and the inverse of a Hessian by Cholesky factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array

# Line searches: how far to go from a point along a direction of descent s, with  φ(t) = P(θ + t s).
#
#     halve                the first of t, t/2, t/4, … that is accepted
#     halve_each           the same for many problems at once, each with its own t
#     backtrack            the first of 1, ½, ¼, … with  φ(t) ≤ φ(0) + 10⁻⁴ t φ′(0)   (Armijo)
#     backtrack_predicted  the same where a kink changes the prediction t φ′(0), or the path is not straight
#     wolfe                also  φ′(t) ≥ 0.9 φ′(0), as quasi-Newton methods need
#     minimize_along       near the minimum of a φ whose derivative is piecewise linear and increasing
#
# `evaluate(t)` is the point at t, which has a `value`. Where rounding hides the decrease, the value may rise by as
# much.   Nocedal & Wright (2006), §3.1 and algorithm 3.5

ARMIJO, CURVATURE = 1e-4, 0.9
ROUNDING = 1e-13  # relative error of a value
MIN_STEP = 1e-10  # shortest step; shorter ones change nothing but rounding
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
    least: float = MIN_STEP,
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
    while (longer := ~accepts(new) & (t > MIN_STEP)).any():
        t[longer] /= 2
        new = evaluate(t)
    return new


def backtrack(
    point: P, evaluate: Callable[[float], P], slope: float, rounding: float = ROUNDING
) -> tuple[P, float]:
    """(evaluate(t), t) for the first of t = 1, ½, ¼, … with sufficient decrease; `slope` is φ′(0).

    The point itself, and 0, if there is none.
    """
    old, t = point.value, 1.0
    new = evaluate(t)
    while not decreased(new.value, old, t * slope, rounding):
        if t <= MIN_STEP:
            return point, 0.0
        t /= 2
        new = evaluate(t)
    return new, t


def solve_few(M: Array, b: Array) -> Array:
    """The least solution of M x = b for a few unknowns, of which M may determine only some."""
    if len(M) == 1 and M[0, 0] > 0:
        return b / M[0, 0]
    return np.asarray(np.linalg.lstsq(M, b, rcond=1e-12)[0])


def damped_newton(
    at: Callable[[Array], Any],
    start: Array,
    newton_step: Callable[[Any], Array],
    tol: float,
    max_iter: int,
    stop: Callable[[Array], bool] = lambda theta: False,
) -> tuple[Array, Any, int]:
    """(θ, its point, number of steps) by Newton's method with backtracking, θ ← θ − t H⁻¹g.

    at(θ) is a point with `value`, `gradient` and `residual`, and newton_step(point) is −H⁻¹g. The iteration ends when
    the residual is at most `tol`, or when stop(θ) is true after a step.
    """
    theta, point, n_iter = start, at(start), 0
    while point.residual > tol and n_iter < max_iter and not (n_iter and stop(theta)):
        theta, point = _damped_step(at, theta, point, newton_step(point))
        n_iter += 1
    return theta, point, n_iter


def _damped_step(
    at: Callable[[Array], Any], theta: Array, point: Any, step: Array
) -> tuple[Array, Any]:
    slope = float(np.vdot(point.gradient, step))
    new, t = backtrack(point, lambda t: at(theta + t * step), slope)
    return theta + t * step, new


def backtrack_predicted(point: P, evaluate: Callable[[float], tuple[P, float]]) -> P:
    """The first point of t = 1, ½, ¼, … with sufficient decrease; `evaluate` gives it and the decrease predicted.

    The point itself if there is none.
    """

    def enough(seen: tuple[P, float], t: float) -> bool:
        return bool(decreased(seen[0].value, point.value, -max(seen[1], 0.0)))

    last, t = halve(evaluate, enough)
    return last[0] if enough(last, t) else point


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


# Symmetric systems  H s = b:  conjugate gradients from products H p alone, and H⁻¹ by Cholesky's factors

Product = Callable[[Array], tuple[Array, Array | None]]  # p ↦ (H p, X p if it is a by-product)
Apply = Callable[[Array], Array]
MAX_PRODUCTS = 500  # products for one step
LIFT = 1e-6  # relative to the curvature along b: regularizes a singular H


def conjugate_gradients(
    times: Product,
    b: Array,
    tolerance: float,
    precondition: Apply | None = None,
    project: Apply | None = None,
    until: Callable[[Array], bool] | None = None,
    most: int = MAX_PRODUCTS,
) -> tuple[Array, Array | None, bool]:
    """(s, X s, whether ‖b − H s‖ ≤ tolerance), H s ≈ b; X s is None unless the products return it.

    It may also end as soon as until(X s) is true.
    """
    s = np.zeros_like(b)
    Xs: Array | None = None
    r = b.copy() if project is None else project(b)
    y = r if precondition is None else precondition(r)
    p = y.copy()
    rho = np.vdot(r, y)
    for _ in range(min(10 * b.size, most)):
        if length(r) <= tolerance:
            return s, Xs, True
        Hp, Xp = times(p)
        curvature = np.vdot(p, Hp)
        if curvature <= 0:  # flat up to rounding
            break
        a = rho / curvature
        s += a * p
        if Xp is not None:
            Xs = a * Xp if Xs is None else Xs + a * Xp
            if until is not None and until(Xs):
                break
        r -= a * Hp
        r = r if project is None else project(r)
        y = r if precondition is None else precondition(r)
        rho, last = np.vdot(r, y), rho
        p *= rho / last
        p += y
    return s, Xs, False


def solve_lifted(times: Apply, b: Array, share: float) -> Array:
    """s with ‖b − (H + εI) s‖ at most a share of ‖b‖, for an H that may be singular and a small ε."""
    lift = LIFT * float(np.vdot(b, times(b))) / max(float(np.vdot(b, b)), 1e-300)
    return conjugate_gradients(lambda p: (times(p) + lift * p, None), b, share * length(b))[0]


def conjugate_gradients_of_shifts(
    times: Apply,
    b: Array,
    shifts: Array,
    enough: Callable[[Array, Array, Array], Array],
    most: int = MAX_PRODUCTS,
) -> Array:
    """s (m, n) with (H + λ_j I) s_j ≈ b for m shifts λ > 0, by one product with H a step for all of them.

    Their Krylov spaces are one: the residual of each is a multiple ζ_j of that of the least shift. A shift is done
    when enough(j, s_j, ‖b − (H + λ_j I) s_j‖²), of the others in arrays, is true.
    Jegerlehner (1996), arXiv:hep-lat/9612014
    """
    s, P = np.zeros((len(shifts), len(b))), np.tile(b, (len(shifts), 1))
    least = shifts.min()
    r, p, rho, a, ratio = b.copy(), b.copy(), float(b @ b), 1.0, 0.0
    zeta, before, left = np.ones(len(shifts)), np.ones(len(shifts)), np.arange(len(shifts))
    for _ in range(most):
        left = left[~enough(left, s[left], zeta[left] ** 2 * rho)]
        if not len(left) or not rho:
            break
        Hp = times(p) + least * p
        last, a = a, rho / float(p @ Hp)
        own, old = zeta[left], before[left]
        new = own * old * last
        new /= a * ratio * (old - own) + old * last * (1 + (shifts[left] - least) * a)
        s[left] += (a * new / own)[:, None] * P[left]
        r -= a * Hp
        rho, ratio = float(r @ r), float(r @ r) / rho
        P[left] = np.multiply.outer(new, r) + (ratio * (new / own) ** 2)[:, None] * P[left]
        p = r + ratio * p
        before[left], zeta[left] = own, new
    return s


def length(r: Array) -> float:
    """‖r‖"""
    return float(np.sqrt(np.vdot(r, r)))


# Cholesky's factor of a positive definite matrix, or the pseudo-inverse of a singular one

PIVOT = 1e-14  # share of its diagonal entry, below which it is rounding
CLEAR = 1e-8  # and from which it is none
CONDITION = 6e-8  # reciprocal, of the factor of columns of one scale; rounding leaves a singular one some 1e-8
CONSTANT = 1e-13  # relative to the mean of a column: a deviation up to it is rounding


class Inverse:
    """H⁻¹ of a symmetric positive definite H by Cholesky; if its factor shows that H is singular, the pseudo-inverse.

    `rank` is then the rank of H, and `times` returns the minimum-norm solution; otherwise `rank` is None.
    """

    def __init__(self, H: Array, positive: bool = False):
        """`positive`: a penalty makes H positive definite, however small a pivot."""
        self.rank: int | None = None
        self._factor, info = lapack.dpotrf(H, lower=1)
        if info or not (positive or is_regular(self._factor, H)):
            self._find_rank(H)

    def times(self, g: Array) -> Array:
        """H⁻¹ g, for a vector or for columns."""
        if self.rank is None:
            return lapack.dpotrs(self._factor, g, lower=1)[0]
        root = self._scale if g.ndim == 1 else self._scale[:, None]
        values = self._values if g.ndim == 1 else self._values[:, None]
        x = self._range @ ((self._range.T @ (g / root)) / values) / root
        return x - self._null @ (self._null.T @ x)

    def _find_rank(self, H: Array) -> None:
        """Columns are scaled to find the rank, which must not depend on units. The minimum-norm solution is then
        the one orthogonal to the null space.
        """
        scale = np.sqrt(np.maximum(np.diag(H), 0))
        scale[scale == 0] = 1
        values, vectors = np.linalg.eigh(H / np.outer(scale, scale))
        kept = values > values[-1] * len(H) * 1e-13
        self._scale, self._values, self._range = scale, values[kept], vectors[:, kept]
        self._null, _ = np.linalg.qr(vectors[:, ~kept] / scale[:, None])
        self.rank = int(kept.sum())


def is_regular(factor: Array, H: Array) -> bool:
    """Whether a Cholesky factor is that of a regular H. Columns are scaled, as for the rank.

    Where one of many columns is the sum of others, its pivot is the sum of as many rounding errors; then the condition
    number tells.
    """
    pivots, diagonal = factor.diagonal(), H.diagonal()
    shares = pivots * pivots / diagonal
    if shares.min(initial=1) >= CLEAR:
        return True
    scaled = factor / np.sqrt(diagonal)[:, None]
    return bool(shares.min() >= PIVOT and lapack.dtrcon(scaled, uplo="L")[0] >= CONDITION)


def clear_constant_columns(G: Array, mean: Array) -> None:
    """Set the rows and columns of G = X_cᵀ W X_c to 0 where a column of X is constant but for rounding."""
    flat = np.sqrt(np.maximum(G.diagonal(), 0)) <= CONSTANT * np.abs(mean)
    if flat.any():
        G[flat] = G[:, flat] = 0
