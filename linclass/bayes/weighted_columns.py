"""Columns φ_j of rows with weights ω and a target z, all centred and of norm 1:  Σ_i ω_i φ_ij = 0,  Σ_i ω_i φ_ij² = 1.

Centring is what a constant column with a flat prior does to all others.
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array, squares_of_columns
from linclass.base.design_matrix import DesignMatrix

ROUNDING = 1e-14  # of the mean square of a column: a variance below it is 0


class WeightedColumns:
    """Products with the columns of a design, which is not copied. Constant columns and those `without` count as 0."""

    def __init__(
        self,
        design: DesignMatrix,
        weights: Array,
        target: Array,
        without: Array | None = None,
    ):
        self.design, self.weights = design, weights
        total = float(weights.sum())
        self.mean = design.XT @ weights / total
        squares = squares_of_columns(design.X, weights)
        centred = squares - total * self.mean**2
        varies = centred > ROUNDING * squares
        self.scale = np.where(varies, 1 / np.sqrt(np.where(varies, centred, 1.0)), 0.0)
        if without is not None:
            self.scale[without] = 0.0
        self.target = target - float(weights @ target) / total

    def some(self, chosen: Array) -> Array:
        """φ_j of some j, (n, m), dense."""
        one = np.ones(self.design.n_rows)
        return self.design.columns(chosen, self.mean, one) * self.scale[chosen]

    def products(self, R: Array) -> Array:
        """Σ_i ω_i φ_ij r_i for r (n,) or (n, m), where Σ ω r = 0."""
        own = self.weights * R if R.ndim == 1 else self.weights[:, None] * R
        found = self.design.XT @ own
        return np.asarray(found.T * self.scale)

    def gram(self, chosen: Array) -> Array:
        """Products of some φ_j with all, (m, M)."""
        return self.products(self.some(chosen))

    def residual(self, chosen: Array, mu: Array) -> Array:
        """z − Σ_j μ_j φ_j over some j."""
        return self.target - self.some(chosen) @ mu if len(mu) else self.target


class FewColumns(WeightedColumns):
    """The same as the columns φ_j of a design, for some j, which are copied and dense."""

    def __init__(self, columns: WeightedColumns, chosen: Array):
        self.weights, self.target = columns.weights, columns.target
        self.scale = columns.scale[chosen]
        self._own = columns.some(chosen)
        self._gram = self.products(self._own)

    def some(self, chosen: Array) -> Array:
        return self._own[:, chosen]

    def products(self, R: Array) -> Array:
        own = self.weights * R if R.ndim == 1 else self.weights[:, None] * R
        return (self._own.T @ own).T

    def gram(self, chosen: Array) -> Array:
        return self._gram[chosen]
