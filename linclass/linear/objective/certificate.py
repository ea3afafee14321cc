"""Distance of a point from the minimum: bounded by a duality gap, or only measured by a cosine.

By Fenchel duality  P(θ) − min P ≤ P(θ) − D(s),   D(s) = −Σ w_i ℓ*(s_i) − strength·penalty*(U),   U = −Xᵀ(w s)/strength,
for any slopes s with Σ w s x_j = 0 for all columns without a penalty, of which the intercept is one. At the minimum
the slopes of the point are such an s; elsewhere they are balanced first, and scaled into the domain of penalty*. With
Fenchel and Young's inequality the gap is a sum of terms that are at least 0. For the L2 penalty ½ Σ_j λ_j W_j², where
λ_j is the strength times the factor of feature j, and with the gradient r:

    P − D = Σ w_i (ℓ(z_i) + ℓ*(s_i) − s_i z_i) + ½ Σ_j r_j²/λ_j,   r_j = Σ_i w_i s_i x_ij + λ_j W_j.

A gap is relative to P, or, if the fit is perfect up to rounding (P = 0), to the rounding error of P at scores of 0.
Boyd & Vandenberghe (2004), §5.5; Rockafellar (1970), theorem 31.1
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.arrays import EPS, SMALLEST, Array, by_blocks
from linclass.base.numerics import solve_few
from linclass.linear.objective.objective import Objective, Point

CANCELLED = 16 * EPS  # of a slope, relative to the terms that cancel in it
EXACT_SLOPES = 1e-6  # of the terms: slopes above it have more digits than a certificate needs
FEW_SLOPES = 1e-3  # share of the norm of the slopes at zero, below which only few rows have slopes
BALANCED, STRICTLY_BALANCED = 1e-12, 1e-15  # Σ w s x_j, relative to ‖s‖ ‖x_j‖, that counts as 0


def certify(point: Point, slopes: Array | None = None) -> float:
    """The certificate of a point: the relative gap or the cosine, as `objective.certificate_kind` says.

    With a penalty, P = 0 is a minimum, since loss and penalty are at least 0. Without one it proves nothing: the
    perceptron's P is 0 at W = 0, where every row is misclassified. The loss of a likelihood is 0 only by underflow.
    """
    objective = point.objective
    if objective.strength and point.value == 0 and objective.loss.vanishes:
        return 0.0
    if objective.certificate_kind == "duality_gap":
        gap = duality_gap(point, slopes)
        if objective.loss.vanishes:  # else P = 0 is out of reach
            gap = min(gap, point.value)  # by s = 0
        return relative_gap(objective, gap, point.value)
    return gradient_cosine(point)


def duality_gap(point: Point, slopes: Array | None = None) -> float:
    """P(θ) − D(s) for the slopes s of the point, or for those given; +∞ if they cannot be balanced."""
    P = point.objective
    s = point.slopes if slopes is None else slopes
    if slopes is None and _is_balanced(P, point.gradient, s, STRICTLY_BALANCED):
        d = P.design.n_features  # the gradient contains Xᵀ(w s)
        U = P.penalty.curvature * point.theta[..., :d] - point.gradient[..., :d] / P.strength
        return _gap_in_domain(point, s, U)
    if P.unpenalized is None and not P.design.intercept:
        return gap_and_gradient(point, s)[0]
    if P.loss.kind == "twice-smooth":
        gap = gap_and_gradient(point, balanced(point, s))[0]
        if np.isfinite(gap) or P.unpenalized is not None:
            return gap
    return gap_and_gradient(point, P.loss.balance(P.y, s, P.weights))[0]


def gap_and_gradient(point: Point, s: Array) -> tuple[float, Array]:
    """The gap for balanced s, +∞ if s is not balanced; and Xᵀ(w s)."""
    P = point.objective
    g = P.design.pull(P.weights * s)
    if not _is_balanced(P, g, s, BALANCED):
        return np.inf, g
    return _gap_in_domain(point, s, P.weight_part(g) / -P.strength), g


def _gap_in_domain(point: Point, s: Array, U: Array) -> float:
    """The gap for slopes s and U = −Xᵀ(w s)/strength, after scaling both into the domain of penalty*."""
    P = point.objective
    if P.unpenalized is not None:  # where U is 0 up to rounding
        U = np.where(P.unpenalized, 0.0, U)
    shrink = P.penalty.into_domain(U)
    (conjugates,) = by_blocks(lambda *ys: (P.loss.conjugates(*ys),), P.y, shrink * s)
    return gap_from_conjugates(point, conjugates, shrink * U)


def gap_from_conjugates(point: Point, conjugates: Array, U: Array) -> float:
    """The gap for the conjugates ℓ*(s) of all rows and U = −Xᵀ(w s)/strength."""
    P = point.objective
    gap = point.value + P.weights @ conjugates + P.strength * P.penalty.conjugate(U)
    return max(float(gap), 0.0)


def _is_balanced(objective: Objective, g: Array, s: Array, digits: float) -> bool:
    """Whether Σ w s x_j = 0 up to rounding for the columns without a penalty; g contains these sums."""
    sums = np.abs(g[..., objective.columns_without_penalty])
    if objective.unpenalized is not None:
        norms = objective.column_norms[objective.columns_without_penalty]
        sums /= np.where(norms > 0, norms, 1)
    return bool(sums.max(initial=0) <= digits * objective.norm(s))


def balanced(point: Point, s: Array) -> Array:
    """s + ∇²ℓ X_F δ, with δ the Newton step of the columns F without a penalty, so that Σ w s x_F = 0.

    The increase of the gap is of second order in Σ w s x_F, where that of `balance` is of first order; but the
    conjugate may be infinite there.
    """
    P, curvatures = point.objective, point.curvatures
    if P.unpenalized is None and not P.design.intercept:
        return s
    intercept_alone, loss, weights = P.unpenalized is None, P.loss, P.weights
    if P.unpenalized is None:
        B = np.ones((s.shape[-1], 1))
    else:
        B = P.design.take_features(np.flatnonzero(P.unpenalized)).dense()
    M = loss.hessian(B.copy(), weights, curvatures)  # which overwrites its rows
    for _ in range(1 if intercept_alone else 2):  # the second removes rounding errors of the first
        right = s @ weights if intercept_alone else ((s * weights) @ B).ravel()
        delta = solve_few(M, -np.atleast_1d(right))
        delta = delta.reshape(*s.shape[:-1], -1)
        moves = np.broadcast_to(delta, s.shape) if intercept_alone else delta @ B.T
        (s,) = by_blocks(lambda s, c, v: (s + loss.curve(c, v),), s, curvatures, moves)
    return s


def certificate_of_step(old: Point, new: Point, source: Point) -> float:
    """The certificate of new = old + Δ with HΔ = −∇P(old), H the Hessian at `source`, without products with X.

    The slopes s + ∇²ℓ XΔ have  Xᵀ(w s) = r − strength·∇penalty(W_new),  r = ∇P(old) + HΔ, so their U is known; r is
    0 up to rounding. If it is not 0 for the columns without a penalty, the result is +∞.
    """
    P, loss = new.objective, new.objective.loss
    r = source.hessian @ (new.theta - old.theta).ravel()
    r = r.reshape(old.theta.shape) + old.gradient
    free = P.columns_without_penalty
    norms = 1.0 if P.unpenalized is None else np.maximum(P.column_norms[free], SMALLEST)
    if (np.abs(r[..., free]) / norms).max(initial=0) > 1e-14:
        return np.inf
    d = P.design.n_features
    U = P.penalty.curvature * new.theta[..., :d] - r[..., :d] / P.strength
    if P.unpenalized is not None:
        U = np.where(P.unpenalized, 0.0, U)

    def conjugates(y: Array, s: Array, c: Array, z: Array, old_z: Array) -> tuple[Array]:
        return (loss.conjugates(y, s + loss.curve(c, z - old_z)),)

    rows = P.y, old.slopes, source.curvatures, new.scores, old.scores
    gap = gap_from_conjugates(new, by_blocks(conjugates, *rows)[0], U)
    return relative_gap(P, gap, new.value)


def relative_gap(objective: Objective, gap: float, value: float) -> float:
    """A gap relative to P = value."""
    return float(relative(gap, value, objective.value_at_zero))


def relative(gap: Any, value: Any, value_at_zero: Any) -> Any:
    """Gaps relative to values of P, of one problem or of an array of problems."""
    return gap / np.maximum(np.maximum(abs(value), EPS * value_at_zero), SMALLEST)


def gradient_cosine(point: Point) -> float:
    """max_j |∂P/∂θ_j| / (‖x_j‖ ‖slopes‖), for the subgradient of least norm: the largest cosine between the slopes
    and a feature.

    It does not depend on the units of features. It does not tend to 0 merely because all slopes do: on separable
    data there is no optimum. All features far from 0 are nearly parallel to the intercept's, so theirs are the
    cosines with x_j − x̄_j. Rounding errors that a nearly perfect fit to a quadratic loss leaves count as 0.
    Where only rows with a share ε of the weight have slopes, no cosine can exceed √ε; if that is below FEW_SLOPES, the
    sum of their absolute values, divided by FEW_SLOPES, takes the place of their norm.
    """
    P, g = point.objective, point.steepest
    slopes, column_norms, at_zero = P.norm(point.slopes), P.column_norms, P.slopes_at_zero
    if P.far is not None and not P.kinked:
        j, mean, deviations = P.far
        g, column_norms = g.copy(), column_norms.copy()
        g[..., j] = np.where(deviations > 0, g[..., j] - mean * g[..., -1:], 0)
        column_norms[j] = deviations
    if P.loss.quadratic:  # whose slopes are differences of y and of x_j w_j
        terms = at_zero + float((np.abs(point.theta) @ P.column_norms).sum())
        if slopes <= EXACT_SLOPES * terms:
            g = np.where(np.abs(g) <= CANCELLED * terms * column_norms, 0.0, g)
    if slopes < FEW_SLOPES * at_zero:  # as those of few rows are
        slopes = min(slopes, float((np.abs(point.slopes) @ P.weights).sum()) / FEW_SLOPES)
    norms = column_norms * max(slopes + 1e-9 * at_zero, SMALLEST)  # a perfect fit has no slopes
    cosines = np.abs(g) / np.where(norms > 0, norms, 1)
    return min(float(cosines.max()), 1.0)
