"""Squared loss with an L1 part in the penalty, for more features than rows, by its dual with one variable per row.

A round computes  v⁰ ← argmin_v  ½‖r‖² + κ‖v‖₁ + ½μ‖v‖² + ½‖v − v⁰‖²/reach,  r = y − Xv,  whose dual is smooth:

    ψ(r) = ½‖r‖² − r·y + Σ_j S(a_j)²/(2δ),   a = Xᵀr + v⁰/reach,   v = S(a)/δ,   δ = μ + 1/reach,
    (I + X_P X_Pᵀ/δ) Δ = −∇ψ(r) = y − Xv − r,   P = {j: v_j ≠ 0},

with S the soft threshold at κ; X and y are centred, rows multiplied by √w. P may change by many features in a step,
so few steps are needed. All products have the columns of a working set: those whose slope exceeded κ. Far from the
minimum κ is decreased to its value in stages of one product with all columns, so that few features join in vain.
Newton's equations are solved in single precision by conjugate gradients, or by factoring a matrix of the size of P or
of the rows, if that takes less; ψ and its gradient, which decide the accuracy, are in double precision.
Li, Sun & Toh (2018), SIAM J. Optimization 28; Rockafellar (1976), Math. Oper. Res. 1; Massias et al. (2018), ICML
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import SMALLEST, Array, diagonal, soft_threshold
from linclass.base.numerics import backtrack, conjugate_gradients
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.centred_gram import CentredGram

MAX_DUAL_ROWS = 3000  # rows up to which a matrix of rows × rows is factored
# the first reach, its growth from round to round, and its largest, in units of 1/(mean variance of the working set)
FIRST_REACH, GROWTH, MAX_REACH = 30.0, 10.0, 1e4
STAGE_RATIO = 0.4  # ratio of one kink to the last
MAX_JOINING_ENTRIES = 100_000  # entries of the columns that join at once, at most
MAX_NEWTON_STEPS = 50
# tolerances of ‖∇ψ‖: relative to the change of v, to ‖r‖ before the last stage, and to ‖y‖
CHANGE_TOLERANCE, STAGE_TOLERANCE, LAST_TOLERANCE = 0.5, 0.1, 1e-11
FORCING = 0.1  # residual of conjugate gradients, relative to ‖∇ψ‖
# conjugate-gradient steps that take as long as factoring a matrix, per row of the matrix
PRODUCTS_PER_ROW = 1 / 12
MIN_PRODUCTS = 8  # a matrix whose factorization costs fewer products is factored
VALUE_ROUNDING = 1e-14  # relative increase of ψ that is rounding
SINGLE_LIFT = 1e-6  # relative to the mean diagonal entry, added in single precision


class DualPoint(NamedTuple):
    value: float  # ψ(r)
    r: Array
    s: Array  # Xᵀr


class DualNewton:
    def __init__(self, gram: CentredGram, objective: Objective):
        self.gram, self.root = gram, np.sqrt(objective.weights)
        self.Y = self.root * (np.atleast_2d(objective.y) - gram.y_mean[:, None])
        self.known = np.empty(0, int)  # the working set
        self.columns = np.empty((0, gram.design.n_rows))  # Xᵀ of it
        self.slow = 0.0, 0  # (δ, products that did not suffice for it)

    def round(self, objective: Objective, W: Array, slopes: Array, k: int) -> Array:
        """The weights after round k, from those before it and the slopes −Xᵀr there."""
        reach = min(FIRST_REACH * GROWTH ** min(k, 9), MAX_REACH)
        before = zip(self.Y, W, slopes, strict=True)
        kink, curvature = float(objective.kink), float(objective.curvature)
        far = k == 0 and kink > 0
        return np.array([self._stages(*own, kink, curvature, reach, far) for own in before])

    def _stages(
        self,
        y: Array,
        v: Array,
        slopes: Array,
        kink: float,
        curvature: float,
        reach: float,
        far: bool,
    ) -> Array:
        """The weights after a round, in stages if they may be far from the minimum."""
        sizes = np.abs(slopes)
        few = MAX_JOINING_ENTRIES // len(y) if kink else len(v)
        stage = float(sizes.max(initial=0, where=v == 0)) if far else 0.0
        self._join(np.flatnonzero(v))
        w = v[self.known]
        while True:
            stage = max(STAGE_RATIO * stage, kink)
            beyond = sizes > stage
            beyond[self.known] = False
            most = max(few, len(y), len(self.known))  # a lasso needs no more features than rows
            self._join(steepest_of(sizes, np.flatnonzero(beyond), most))
            w = np.append(w, np.zeros(len(self.known) - len(w)))
            w = self._minimize(
                y, w, stage, curvature, reach, 0.0 if stage <= kink else STAGE_TOLERANCE
            )
            if stage <= kink:
                break
            sizes = np.abs(self.pull(y - w @ self.columns))
        v = np.zeros(len(v))
        v[self.known] = w
        return v

    def _join(self, features: Array) -> None:
        new = np.setdiff1d(features, self.known, assume_unique=True)
        if len(new):
            X = self.gram.design.columns(new, self.gram.mean, self.root)
            self.known, self.columns = np.append(self.known, new), np.vstack([self.columns, X.T])

    def pull(self, r: Array) -> Array:
        """Xᵀ r, of all features."""
        u, gram = self.root * r, self.gram
        return gram.design.pull(u)[: len(gram.mean)] - u.sum() * gram.mean

    def _minimize(
        self, y: Array, v: Array, kink: float, curvature: float, reach: float, rough: float
    ) -> Array:
        """The weights of the working set, from v."""
        X, start = self.columns, v
        reach /= max(np.einsum("ij,ij->", X, X) / max(len(X), 1), SMALLEST)
        delta = curvature + 1 / reach

        def at(r: Array, s: Array) -> DualPoint:
            beyond = soft_threshold(s + start / reach, kink)
            return DualPoint(float(0.5 * (r @ r) - r @ y + (beyond @ beyond) / (2 * delta)), r, s)

        def toward(point: DualPoint, step: Array, along: Array) -> Callable[[float], DualPoint]:
            return lambda t: at(point.r + t * step, point.s + t * along)

        r = y - v @ X
        point = at(r, X @ r)
        for _ in range(MAX_NEWTON_STEPS):
            v = soft_threshold(point.s + start / reach, kink) / delta
            g = point.r - y + v @ X
            moved = float(np.linalg.norm(v - start)) / reach**0.5
            enough = max(
                rough * np.linalg.norm(point.r),
                LAST_TOLERANCE * np.linalg.norm(y),
                CHANGE_TOLERANCE * moved,
            )
            if np.linalg.norm(g) <= enough:
                break
            among = X[v != 0]
            among *= delta**-0.5  # single precision does not overflow in these units
            step = self._newton_step(among.astype(np.float32), g, delta)
            evaluate = toward(point, step, X @ step)
            point, _ = backtrack(point, evaluate, float(g @ step), VALUE_ROUNDING)
        return v

    def _newton_step(self, B: Array, g: Array, delta: float) -> Array:
        """−(I + BᵀB)⁻¹ g  with  B = X_Pᵀ/√δ"""
        size = float(np.linalg.norm(g))
        b, most = (-g / size).astype(np.float32), int(PRODUCTS_PER_ROW * min(B.shape))
        if most > MIN_PRODUCTS and (delta > self.slow[0] or most > self.slow[1]):
            step, _, done = conjugate_gradients(
                lambda p: (p + (B @ p) @ B, None), b, FORCING, most=most
            )
            if done:
                return size * step.astype(float)
            self.slow = float(delta), most
        return size * step_by_factoring(B, b).astype(float)


def steepest_of(sizes: Array, features: Array, most: int) -> Array:
    """The features of the largest sizes, at most `most` of them."""
    if len(features) <= most:
        return features
    return features[np.argpartition(-sizes[features], most)[:most]]


def step_by_factoring(B: Array, b: Array) -> Array:
    """(I + BᵀB)⁻¹ b, by Woodbury's identity if B (features × rows) has fewer features than rows."""
    m, n = B.shape
    if not m:
        return b
    few = m < n
    A, right = (B @ B.T, B @ b) if few else (B.T @ B, b)
    shift, info = 1 + SINGLE_LIFT * float(A.diagonal().mean()), 1
    while info:
        H = A.copy()
        diagonal(H)[...] += shift
        _, t, info = lapack.sposv(H, right, lower=1)
        shift *= 10
    return b - t @ B if few else t
