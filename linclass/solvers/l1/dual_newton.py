"""Squared loss with an L1 part in the penalty, for more features than rows, by its dual with one variable per row.

A round computes  v⁰ ← argmin_v  ½‖r‖² + κ‖v‖₁ + ½μ‖v‖² + ½‖v − v⁰‖²/reach,  r = y − Xv,  whose dual is smooth:

    ψ(r) = ½‖r‖² − r·y + Σ_j S(a_j)²/(2δ),   a = Xᵀr + v⁰/reach,   v = S(a)/δ,   δ = μ + 1/reach,
    (I + X_P X_Pᵀ/δ) Δ = −∇ψ(r) = y − Xv − r,   P = {j: v_j ≠ 0},

with S the soft threshold at κ; X and y are centred, rows multiplied by √w. Newton's equations have the size of P or
of the rows, whichever is smaller, and are solved in single precision; ψ and its gradient, which decide the
accuracy, are in double precision. P may change by many features in a step, so few steps are needed.
Li, Sun & Toh (2018), SIAM J. Optimization 28; Rockafellar (1976), Math. Oper. Res. 1
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from linclass.line_search import backtrack
from linclass.numerics import Array
from linclass.objective.gap import TINY
from linclass.objective.objective import Objective
from linclass.soft_threshold import soft_threshold
from linclass.solvers.l1.centred_gram import CentredGram

ROWS = 3000  # up to which a matrix of rows × rows is factored
REACH, GROWTH, FARTHEST = 100.0, 10.0, 1e4  # divided by the variance of a feature
STEPS = 50
INEXACT = 0.3  # tolerance of ‖∇ψ‖, relative to the change of v
LAST = 1e-11  # of ‖y‖: negligible
PRECISE = 1e-14  # of ψ: a rise that is rounding
ROUNDING = 1e-6  # of a matrix in single precision


class DualPoint(NamedTuple):
    value: float  # ψ(r)
    r: Array
    s: Array  # Xᵀr


class DualNewton:
    def __init__(self, gram: CentredGram, objective: Objective):
        self.gram, self.root = gram, np.sqrt(objective.weights)
        self.Y = self.root * (np.atleast_2d(objective.y) - gram.y_mean[:, None])
        n, d = gram.design.n_rows, gram.design.n_features
        self._place, self._single = (
            np.full(d, -1),
            np.empty((0, n), np.float32),
        )  # of the requested features
        some = self.features(np.arange(0, d, d // 50 + 1))
        self.variance = max(float((some**2).sum(axis=1).mean()), TINY)

    def round(self, objective: Objective, W: Array, slopes: Array, k: int) -> Array:
        """The weights after round k, from those before it and the slopes −Xᵀr there."""
        reach = min(REACH * GROWTH ** min(k, 9), FARTHEST) / self.variance
        before = zip(self.Y, W, slopes, strict=True)
        kink, curvature = float(objective.kink), float(objective.curvature)
        return np.array([self._minimize(*own, kink, curvature, reach) for own in before])

    def features(self, P: Array) -> Array:
        """X_Pᵀ in single precision."""
        new = P[self._place[P] < 0]
        if len(new):
            known = len(self._single)
            X = self.gram.design.columns(new, self.gram.mean, self.root)
            self._single = np.vstack([self._single, X.T.astype(np.float32)])
            self._place[new] = np.arange(known, len(self._single))
        return self._single[self._place[P]]

    def scores(self, v: Array) -> Array:
        """X v."""
        gram, ends = self.gram, [-(self.gram.mean @ v)] * self.gram.design.intercept
        return self.root * gram.design.scores(np.append(v, ends))

    def pull(self, r: Array) -> Array:
        """Xᵀ r."""
        u, gram = self.root * r, self.gram
        return gram.design.pull(u)[: len(gram.mean)] - u.sum() * gram.mean

    def _minimize(
        self, y: Array, v: Array, slopes: Array, kink: float, curvature: float, reach: float
    ) -> Array:
        start, delta = v, curvature + 1 / reach
        r, s = y - self.scores(v), -slopes
        shrink = min(1.0, kink / max(float(np.abs(s).max(initial=0)), TINY))  # few a_j beyond κ

        def at(r: Array, s: Array) -> DualPoint:
            beyond = soft_threshold(s + start / reach, kink)
            return DualPoint(float(0.5 * (r @ r) - r @ y + (beyond @ beyond) / (2 * delta)), r, s)

        def toward(point: DualPoint, step: Array, along: Array) -> Callable[[float], DualPoint]:
            return lambda t: at(point.r + t * step, point.s + t * along)

        point = at(shrink * r, shrink * s)
        for _ in range(STEPS):
            v = soft_threshold(point.s + start / reach, kink) / delta
            g = point.r - y + self.scores(v)
            moved = float(np.linalg.norm(v - start)) / reach**0.5
            if np.linalg.norm(g) <= max(INEXACT * moved, LAST * float(np.linalg.norm(y))):
                break
            step = newton_step(self.features(np.flatnonzero(v)), g, delta)
            evaluate = toward(point, step, self.pull(step))
            point, _ = backtrack(point, evaluate, float(g @ step), PRECISE)
        return v


def newton_step(B: Array, g: Array, delta: float) -> Array:
    """−(I + BᵀB/δ)⁻¹ g, by Woodbury's identity if B (features × rows) has fewer features than rows."""
    m, n = B.shape
    if not m:
        return -g
    few, right = m < n, g.astype(np.float32)
    A, right = (B @ B.T, B @ right) if few else (B.T @ B, right)
    shift, info = delta + ROUNDING * float(A.diagonal().mean()), 1
    while info:
        H = A.copy()
        H.reshape(-1)[:: len(H) + 1] += shift
        _, t, info = lapack.sposv(H, right, lower=1)
        shift *= 10
    return t @ B - g if few else -delta * t.astype(float)
