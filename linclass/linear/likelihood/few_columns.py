"""Some of many columns, with the products of each two of them: what moves of their precisions need, and no more."""

from __future__ import annotations

from linclass.base.arrays import Array
from linclass.linear.likelihood.weighted_columns import WeightedColumns


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
