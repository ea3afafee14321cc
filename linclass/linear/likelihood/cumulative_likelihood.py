"""Minus the penalized log-likelihood of ordered classes, (1/Σω_i) Σ ω_i (−ln (σ(a_i) − σ(b_i))) + strength · ½‖w‖²,
a = θ_y − w·x, b = θ_{y−1} − w·x, with derivatives, certificate and directions in which it has no minimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit, log_expit

from linclass.base.arrays import Array, Matrix, diagonal
from linclass.base.design_matrix import DesignMatrix
from linclass.base.line_search import backtrack
from linclass.base.messages import NotApplicable
from linclass.linear.objective.coordinates import LEAST_DEVIATION as DIGITS
from linclass.linear.objective.coordinates import about_mean
from linclass.linear.recession import Recession, solve_inequalities

CERTAIN = 5.0  # where slopes are below 1 %, a fit may be on its way to infinity


class CumulativePoint(NamedTuple):
    """The objective at (w, θ), with what its certificate needs."""

    value: float
    gradient: Array
    hessian: Array
    slopes: Array


class CumulativeLikelihood:
    """The objective in φ = (w, θ − w·x̄), rows of rank y = 0 … K − 1 with weights that sum to 1.

    Dense rows are centred, so that nothing depends on their offset; sparse ones are not, as that fills them in.
    """

    def __init__(
        self, X: Matrix, y: Array, weights: Array, strength: float, offset: Array | None = None
    ):
        self.X, self.y, self.weights = X, y, weights
        self.mean = np.zeros(X.shape[1])
        if not sparse.issparse(X):
            X, self.mean = about_mean(X, weights)
        self.design = DesignMatrix(X, intercept=False)
        self.offset = 0.0 if offset is None else offset
        self.strength, self.mass = strength, np.bincount(y, weights)
        self.K, self.d = len(self.mass), X.shape[1]

    def start(self) -> Array:
        """Thresholds at the logits of the cumulative shares of the classes."""
        below, above = np.cumsum(self.mass)[:-1], np.cumsum(self.mass[::-1])[-2::-1]
        thresholds = np.log(below / above)
        if not (np.diff(thresholds) > 0).all():
            share = self.mass[1 + np.argmin(np.diff(thresholds))]
            raise NotApplicable(
                f"a middle class has {share:.1g} of the total weight, too little to separate its two thresholds; "
                "leave its rows out, or raise their weights."
            )
        return np.append(np.zeros(self.d), thresholds)

    def uncentred(self, phi: Array) -> Array:
        """(w, θ)."""
        return np.append(phi[: self.d], phi[self.d :] + phi[: self.d] @ self.mean)

    def at(self, phi: Array) -> CumulativePoint:
        w, theta, d, K = phi[: self.d], phi[self.d :], self.d, self.K
        gaps = np.diff(theta)
        eta = self.design.scores(w) + self.offset
        a = np.append(theta, np.inf)[self.y] - eta
        b = np.append(-np.inf, theta)[self.y] - eta
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            between = -np.log(-np.expm1(-gaps)) if (gaps > 0).all() else np.full(K - 2, np.inf)
        value = -self.weights @ (log_expit(a) + log_expit(-b)) + self.mass[1:-1] @ between
        value += 0.5 * self.strength * w @ w
        up, down = self.weights * expit(-a), self.weights * expit(b)
        curve_up, curve_down = up * expit(a), down * expit(-b)
        g = np.empty(d + K - 1)
        g[:d] = self.design.pull(up - down) + self.strength * w
        g[d:] = self._by_threshold(down, 1) - self._by_threshold(up, 0)
        H = np.zeros((d + K - 1, d + K - 1))
        H[:d, :d] = self.design.gram(curve_up + curve_down)
        diagonal(H[:d, :d])[...] += self.strength
        for k in range(K - 1):
            at = np.where(self.y == k, curve_up, 0) + np.where(self.y == k + 1, curve_down, 0)
            H[:d, d + k] = H[d + k, :d] = -self.design.pull(at)
        theta_part = H[d:, d:]
        theta_part.flat[::K] = self._by_threshold(curve_up, 0) + self._by_threshold(curve_down, 1)
        if (gaps > 0).all():
            with np.errstate(over="ignore"):
                slope = self.mass[1:-1] / np.expm1(gaps)
                bend = slope / -np.expm1(-gaps)
            g[d + 1 :] -= slope
            g[d:-1] += slope
            at = np.arange(K - 2)
            theta_part[at, at] += bend
            theta_part[at + 1, at + 1] += bend
            theta_part[at, at + 1] -= bend
            theta_part[at + 1, at] -= bend
        return CumulativePoint(float(value), g, H, np.concatenate([up, down]))

    def _by_threshold(self, values: Array, shift: int) -> Array:
        """Σ over the rows of rank k + shift, for each threshold k."""
        return np.bincount(self.y, values, self.K)[shift : self.K - 1 + shift]

    def descend(
        self, phi: Array, old: CumulativePoint, step: Array
    ) -> tuple[Array, CumulativePoint]:
        """The first of t = 1, ½, ¼, … with sufficient decrease; +∞ where thresholds cross."""
        slope = float(old.gradient @ step)
        new, t = backtrack(old, lambda t: self.at(phi + t * step), slope)
        return phi + t * step, new

    def residual(self, point: CumulativePoint) -> float:
        """The largest cosine between the slopes and a feature or a threshold."""
        mean = self.design.pull(self.weights)
        length = self.design.column_norms(self.weights)
        deviation = np.sqrt(np.maximum(length**2 - mean**2, (DIGITS * length) ** 2))
        g = point.gradient.copy()
        g[: self.d] += mean * g[self.d :].sum()  # for fixed θ − w·x̄
        norms = np.append(deviation, np.ones(self.K - 1))
        both = np.tile(self.weights, 2)
        size = float(np.sqrt((point.slopes**2 / both).sum()))
        scale = norms * max(size, np.finfo(float).tiny)
        return min(float((np.abs(g) / np.where(scale > 0, scale, 1)).max()), 1.0)

    def margins(self, phi: Array) -> Array:
        """Margin of each row to the thresholds beside its class."""
        eta, theta = self.design.scores(phi[: self.d]), phi[self.d :]
        below, above = self.y < self.K - 1, self.y > 0
        return np.concatenate(
            [theta[self.y[below]] - eta[below], eta[above] - theta[self.y[above] - 1]]
        )

    def recession(self, phi: Array) -> Recession:
        """A direction in which no row's loss increases, and some row's decreases without a minimum."""
        m = self.margins(phi)
        if np.abs(m).max() < CERTAIN and m.min() <= 0:
            return Recession()
        X, y = sparse.csr_array(self.X), self.y  # without the rounding of centred rows
        below, above = np.flatnonzero(y < self.K - 1), np.flatnonzero(y > 0)
        parts = [
            sparse.hstack([-X[below], self._indicators(y[below])]),
            sparse.hstack([X[above], -self._indicators(y[above] - 1)]),
        ]
        A = sparse.csr_array(sparse.vstack(parts))
        return solve_inequalities(A, self.uncentred(phi) if m.min() > 0 else None)

    def _indicators(self, k: Array) -> Matrix:
        parts = np.ones(len(k)), (np.arange(len(k)), k)
        return sparse.csr_array(parts, shape=(len(k), self.K - 1))
