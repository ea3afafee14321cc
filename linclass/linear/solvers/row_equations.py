"""Unpenalized least squares by equations over the rows, for more features than rows: the minimum-norm solution,

    min ‖w‖   among the minima of   ½ Σ_i ω_i (x_i·w + b − y_i)².

K = XXᵀ is small where XᵀX is large. Pivoting divides the rows into r independent ones, I, and those D that are their
linear combinations, X_D = C X_I. The fitted values f of I are free, so they are found first:

    f = y_I + δ,   δ = Ω_I⁻¹ Cᵀ λ,   (Ω_D⁻¹ + C Ω_I⁻¹ Cᵀ) λ = q − b·c,   q = y_D − C y_I,   c = 1 − C 1.

The intercept b minimizes the residual if c ≠ 0, and otherwise the norm of w = X_Iᵀ K_II⁻¹ (f − b).
Björck (1996), Numerical Methods for Least Squares Problems, §1.3 and §2.7
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array, diagonal
from linclass.base.messages import require_memory
from linclass.linear.objective.objective import Objective, Point

# times the number of rows: residual of a unit row below which it depends on others
DEPENDENT = 1e-13


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
        factor, order, rank, _ = lapack.dpstrf(K, lower=1, tol=n * DEPENDENT, overwrite_a=1)
        order = order - 1
        self.independent, self.dependent = order[:rank], order[rank:]
        self.scale = scale[self.independent]
        self.L = np.asfortranarray(np.tril(factor[:rank, :rank]))
        combined = self._solved(lapack.dtrtrs, factor[rank:, :rank].T.copy(), trans=1).T
        self.C = combined * scale[self.dependent][:, None] / self.scale
        self.c = (1 - self.C.sum(axis=1)) * design.intercept
        self.c[np.abs(self.c) <= np.sqrt(DEPENDENT)] = 0
        self.rank = rank + bool(self.c.any()) if rank < design.width else None

    def step(self, point: Point) -> Array:
        """The minimum-norm fit to the residual z − y; subtracting it from theta corrects a fit."""
        return np.apply_along_axis(self._fit, -1, point.slopes)

    def _fit(self, y: Array) -> Array:
        own, others = self.independent, self.dependent
        f, b = y[own], 0.0
        if len(others):
            spread = self.C / self.weights[own]
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
        theta = self.design.combine(own, self._among(f - b))
        theta[self.design.n_features :] = b
        return theta

    def _among(self, v: Array) -> Array:
        """K_II⁻¹ v."""
        return self._solved(lapack.dpotrs, v / self.scale) / self.scale

    def _solved(self, solve: Any, right: Array, **options: Any) -> Array:
        """For an empty system (all rows are 0), which LAPACK does not accept, the result is empty."""
        return solve(self.L, right, lower=1, **options)[0] if right.size else right
