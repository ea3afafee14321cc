"""Regression on class indicators from the moments of the classes, without another pass over the rows.

With class frequencies p_k = n_k/N, means m_k about the overall mean x̄, targets t_k (±1, or unit vectors)
about their mean t̄, and the scatter W within the classes,
    G = W/N + Σ p_k m_k m_kᵀ,   C = Σ p_k t_k m_kᵀ,   (G + λI) w = C,   b = t̄ − x̄·w.

The solutions for all strengths λ share the eigenvectors of G.   Hastie, Tibshirani & Friedman
(2009), §3.4.1, §4.2
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linclass.base.arrays import SMALLEST, Array, diagonal
from linclass.base.numerics import Inverse, clear_constant_columns
from linclass.discriminant.class_moments import ClassMoments
from linclass.linear.objective.certificate import gap_of_parts, l2_part, relative
from linclass.linear.solvers.base import Solution


class IndicatorRegression:
    """The normal equations of one training set."""

    def __init__(self, moments: ClassMoments, intercept: bool):
        K = len(moments.mass)
        self.intercept, self.share = intercept, moments.mass / moments.total
        self.targets = targets = np.array([[-1.0, 1.0]]) if K == 2 else np.eye(K)
        d = moments.mean.shape[1]
        self.mean = moments.centre if intercept else np.zeros(d)
        self.target = targets @ self.share if intercept else np.zeros(len(targets))
        M, T = moments.mean - self.mean, targets - self.target[:, None]
        self.gram = moments.pooled / moments.total + (M.T * self.share) @ M
        self.cross = (T * self.share) @ M
        self.power = (T**2 @ self.share).sum()  # Σ_k p_k ‖t_k‖²

    def solve(self, strength: float, tol: float, shared: bool = False) -> Solution:
        """`shared`: several strengths will be solved, which makes the eigenvectors worth their cost."""
        rank = None
        if strength and shared:
            values, V = self._axes
            w = (self.cross @ V) / (values + strength) @ V.T
        else:
            w, inverse = self.coefficients(strength)
            rank = None if inverse.rank is None else inverse.rank + self.intercept
        return self._proven(w, strength, tol, rank)

    def coefficients(self, strength: float) -> tuple[Array, Inverse]:
        """(w, (G + λI)⁻¹), w refined once by its residual."""
        inverse = self._inverse(strength)
        w = inverse.times(self.cross.T).T
        return w - inverse.times((w @ self.gram + strength * w - self.cross).T).T, inverse

    @cached_property
    def _axes(self) -> tuple[Array, Array]:
        return np.linalg.eigh(self.gram)

    def _inverse(self, strength: float) -> Inverse:
        G = self.gram.copy()
        diagonal(G)[...] += strength
        clear_constant_columns(G, self.mean)
        return Inverse(G)

    def _proven(self, w: Array, strength: float, tol: float, rank: int | None) -> Solution:
        fitted = w @ self.gram
        residual = fitted - self.cross + strength * w  # the gradient; that of b is 0
        missed = max(self.power - 2 * np.vdot(w, self.cross) + np.vdot(fitted, w), 0)
        value = (missed + strength * np.vdot(w, w)) / 2
        if strength:  # the gap of the dual point −(y − z)
            kind = "duality_gap"
            gap = gap_of_parts(0.0, l2_part(residual, strength).sum())
            certificate = relative(gap, value, self.power / 2)
        else:
            kind = "gradient_cosine"
            raw = np.sqrt(np.diag(self.gram) + self.mean**2)
            norms = np.where(raw > 0, raw, 1) * max(np.sqrt(missed + 1e-18 * self.power), SMALLEST)
            certificate = min(np.abs(residual / norms).max(initial=0), 1.0)
        theta = w
        if self.intercept:
            theta = np.empty((len(w), w.shape[1] + 1))
            theta[:, :-1], theta[:, -1] = w, self.target - w @ self.mean
        theta = theta[0] if len(theta) == 1 else theta
        done = bool(certificate <= tol)
        return Solution(theta, float(value), float(certificate), kind, done, 1, rank)
