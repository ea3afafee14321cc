"""Least squares in closed form:  (X_cᵀ W X_c + strength·I) w = X_cᵀ W (y − ȳ),  b = ȳ − x̄·w,

with X_c = X − x̄ if there is an intercept. The normal equations square the condition number, so columns are centred
and scaled first, and the solution is refined by its residual, computed from X and not from XᵀX. Linearly dependent
columns give the minimum-norm solution and the rank. Without a penalty, and with more features than rows, equations
over the rows replace the normal equations.
Björck (1996), Numerical Methods for Least Squares Problems, §2.9"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import SMALLEST, Array, diagonal
from linclass.base.documentation import documented
from linclass.base.messages import require_memory
from linclass.base.numerics import Inverse, clear_constant_columns
from linclass.discriminant.class_moments import ClassMoments
from linclass.linear.objective.certificate import certify, relative
from linclass.linear.objective.coordinates import centred, centred_gram
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import Solution, Solver, Trace

# Unpenalized least squares by equations over the rows, for more features than rows: the minimum-norm solution,
#
#     min ‖w‖   among the minima of   ½ Σ_i ω_i (x_i·w + b − y_i)².
#
# K = XXᵀ is small where XᵀX is large. Pivoting divides the rows into r independent ones, I, and those D that are their
# linear combinations, X_D = C X_I. The fitted values f of I are free, so they are found first:
#
#     f = y_I + δ,   δ = Ω_I⁻¹ Cᵀ λ,   (Ω_D⁻¹ + C Ω_I⁻¹ Cᵀ) λ = q − b·c,   q = y_D − C y_I,   c = 1 − C 1.
#
# The intercept b minimizes the residual if c ≠ 0, and otherwise the norm of w = X_Iᵀ K_II⁻¹ (f − b).
# Björck (1996), Numerical Methods for Least Squares Problems, §1.3 and §2.7

# times the number of rows: residual of a unit row below which it depends on others
DEPENDENT_ROW = 1e-13


class RowEquations:
    """K, factored once; `rank` is that of [X 1], or None if it is full."""

    def __init__(self, objective: Objective):
        design, n = objective.design, objective.design.n_rows
        require_memory(24 * n * n, f"least_squares needs a dense {n} × {n} matrix of the rows")
        self.design, self.weights = design, objective.weights
        K = design.products_among(np.arange(n))
        scale = np.sqrt(K.diagonal())
        scale[scale == 0] = 1
        K /= scale[:, None]
        K /= scale
        factor, order, rank, _ = lapack.dpstrf(K.T, lower=1, tol=n * DEPENDENT_ROW, overwrite_a=1)
        order = order - 1
        self.independent, self.dependent = order[:rank], order[rank:]
        self.scale = scale[self.independent]
        self.L = np.asfortranarray(factor[:rank, :rank])  # LAPACK ignores the upper triangle
        combined = self._solved(lapack.dtrtrs, factor[rank:, :rank].T.copy(), trans=1).T
        self.C = combined * scale[self.dependent][:, None] / self.scale
        self.c = (1 - self.C.sum(axis=1)) * design.intercept
        self.c[np.abs(self.c) <= np.sqrt(DEPENDENT_ROW)] = 0
        self.rank = rank + bool(self.c.any()) if rank < design.width else None

    def step(self, point: Point) -> Array:
        """The minimum-norm fit to the residual z − y; subtracting it from theta corrects a fit."""
        return np.apply_along_axis(self._fit, -1, point.slopes)

    def _fit(self, y: Array) -> Array:
        chosen, others = self.independent, self.dependent
        f, b = y[chosen], 0.0
        if len(others):
            spread = self.C / self.weights[chosen]
            M = spread @ self.C.T
            diagonal(M)[...] += 1 / self.weights[others]
            q = y[others] - self.C @ f
            solved = np.linalg.solve(M, np.column_stack([q, self.c]))
            if self.c.any():
                b = (self.c @ solved[:, 0]) / (self.c @ solved[:, 1])
            f = f + spread.T @ (solved[:, 0] - b * solved[:, 1])
        if self.design.intercept and not self.c.any():
            ones = self._among(np.ones(len(f)))
            b = (ones @ f) / ones.sum()
        theta = self.design.combine(chosen, self._among(f - b))
        theta[self.design.n_features :] = b
        return theta

    def _among(self, v: Array) -> Array:
        """K_II⁻¹ v."""
        return self._solved(lapack.dpotrs, v / self.scale) / self.scale

    def _solved(self, solve: Any, right: Array, **options: Any) -> Array:
        """The solution of a triangular system; LAPACK does not accept an empty one, of rows that are all 0."""
        return solve(self.L, right, lower=1, **options)[0] if right.size else right


@documented
@dataclass(frozen=True)
class LeastSquares(Solver):
    """Least squares in closed form.

    Parameters
    ----------
    max_iter : int or None, default=None
        Not used: the solution has a closed form.
    """

    needs: ClassVar[str] = "quadratic"
    refinements: ClassVar[int] = 3

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        design = objective.design
        # with fewer rows than features the Gram matrix of the rows is smaller
        if objective.strength or design.n_rows >= design.n_features:
            equations = NormalEquations(objective, gram_of_columns(objective))
            return self._refined(objective, equations, trace)
        near = centred(objective)
        if near is None:
            return self._refined(objective, RowEquations(objective), trace)
        solution = self._refined(near.objective, RowEquations(near.objective), trace)
        solution.theta = near.units.move(solution.theta)
        return solution

    def path(
        self, objective: Objective, strengths: Iterable[float], start: Array
    ) -> list[Solution]:
        """All strengths share one Gram matrix, which takes most of the time."""
        gram = gram_of_columns(objective)
        at_strengths = map(objective.with_strength, strengths)
        return [self._refined(P, NormalEquations(P, gram)) for P in at_strengths]

    def _refined(
        self,
        objective: Objective,
        system: NormalEquations | RowEquations,
        trace: Trace | None = None,
    ) -> Solution:
        point = objective.at(objective.zero())
        for _ in range(self.refinements):
            step = system.step(point)
            point = objective.at(point.theta - step)
            if trace:
                trace(point)
            if np.linalg.norm(step) <= 1e-14 * np.linalg.norm(point.theta):
                break
        return Solution.at(point, certify(point), self.tol, 1, rank=system.rank)


def gram_of_columns(objective: Objective) -> tuple[Array, Array]:
    """(x̄, X_cᵀ W X_c)"""
    p = objective.design.width
    require_memory(24 * p * p, f"least_squares needs a dense {p} × {p} Gram matrix")
    return centred_gram(objective.design, objective.weights)


class NormalEquations:
    """H⁻¹ of a quadratic objective, whose scores all share one H."""

    def __init__(self, objective: Objective, gram: tuple[Array, Array]):
        design = objective.design
        self.d = design.n_features
        self.mean, G = gram[0], gram[1].copy()
        diagonal(G)[...] += objective.curvature
        clear_constant_columns(G, self.mean)
        self.inverse = Inverse(G)
        rank = self.inverse.rank
        self.rank = None if rank is None else rank + design.intercept

    def step(self, point: Point) -> Array:
        """H⁻¹ g, with the intercept eliminated:  w = H_c⁻¹(g_w − x̄ g_b),  b = g_b − x̄·w."""
        d, g = self.d, point.gradient
        g_b = g[..., d:]
        right = g[..., :d] - g_b * self.mean if g_b.size else g
        w = self.inverse.times(np.ascontiguousarray(right.T)).T
        return np.concatenate([w, g_b - (w @ self.mean)[..., None]], axis=-1) if g_b.size else w


class IndicatorRegression:
    """Regression on class indicators from the moments of the classes, without another pass over the rows.

    With class frequencies p_k = n_k/N, means m_k about the overall mean x̄, targets t_k (±1, or unit vectors) about
    their mean t̄, and the scatter W within the classes,

        G = W/N + Σ p_k m_k m_kᵀ,   C = Σ p_k t_k m_kᵀ,   (G + λI) w = C,   b = t̄ − x̄·w.

    The solutions for all strengths λ share the eigenvectors of G.
    Hastie, Tibshirani & Friedman (2009), §3.4.1, §4.2
    """

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
            inverse = self._inverse(strength)
            w = inverse.times(self.cross.T).T  # refined once by its residual
            w -= inverse.times((w @ self.gram + strength * w - self.cross).T).T
            rank = None if inverse.rank is None else inverse.rank + self.intercept
        return self._proven(w, strength, tol, rank)

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
            gap = np.vdot(residual, residual) / (2 * strength)
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
