"""The covariance that classes share, of each fold of a stack: Σ and its (pseudo-)inverse, with a leading axis.

Full covariances are stacked matrices, with whiteners of a lower rank filled up with zeros, so products with them are
products of stacks. Other shapes, and shrunk ones, are applied fold by fold.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linclass.base.arrays import Array
from linclass.discriminant.statistics.class_moments import ClassMoments
from linclass.discriminant.statistics.covariance import AnySpread, freedom, tied_spread
from linclass.discriminant.statistics.spread import Spread


class TiedCovariances:
    """`spreads` are those of the folds, `covariances` their Σ (F, d, d) if they are full."""

    def __init__(
        self, stack: ClassMoments, covariance: str, shape: str = "full", shrinkage: float = 0.0
    ):
        self.covariances: Array | None = None
        self.spreads: list[AnySpread]
        if stack.form == "tied" and not shrinkage:
            self.covariances = stack.pooled / freedom(stack, covariance)[:, None, None]
            self.spreads = list(Spread.of_covariances(self.covariances, stack.negligible))
        else:
            folds = stack.split()
            self.spreads = [tied_spread(fold, covariance, shape, shrinkage) for fold in folds]

    @property
    def ranks(self) -> list[int]:
        return [spread.rank for spread in self.spreads]

    @cached_property
    def whiteners(self) -> Array:
        """(F, d, r) of unshrunk spreads."""
        spreads = [spread for spread in self.spreads if isinstance(spread, Spread)]
        if len(spreads) == 1:
            return spreads[0].whitener[None]
        width = max(self.ranks)
        W = np.zeros((len(spreads), len(spreads[0].whitener), width))
        for own, spread in zip(W, spreads, strict=True):
            own[:, : spread.rank] = spread.whitener
        return W

    def whiten(self, M: Array) -> Array:
        """Rows of M (F, K, d) in coordinates in which Σ of their fold is the identity."""
        return self._each("whiten", M) if self.covariances is None else M @ self.whiteners

    def solve(self, M: Array) -> Array:
        """Σ⁺m of each row."""
        if self.covariances is None:
            return self._each("solve", M)
        return M @ self.whiteners @ np.swapaxes(self.whiteners, 1, 2)

    def directions(self, V: Array) -> Array:
        """Directions of whitened coordinates V (F, q, r) in those of the features."""
        if self.covariances is None:
            return self._each("directions", V)
        return V @ np.swapaxes(self.whiteners, 1, 2)

    def times(self, theta: Array) -> Array:
        """Σθ of each row."""
        return self._each("times", theta) if self.covariances is None else theta @ self.covariances

    def _each(self, method: str, M: Array) -> Array:
        if len(M) == 1:
            alone: Array = getattr(self.spreads[0], method)(M[0])
            return alone[None]
        pairs = zip(self.spreads, M, strict=True)
        return np.stack([getattr(spread, method)(own) for spread, own in pairs])
