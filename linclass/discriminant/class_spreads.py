"""The covariance of each class, in factors: its own, mixed with the pooled one, or the pooled one if it is singular."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from linclass.base.arrays import Array
from linclass.discriminant.statistics.class_moments import BY_ROWS, ClassMoments
from linclass.discriminant.statistics.covariance import (
    AnySpread,
    freedom,
    freedom_of_classes,
    is_singular,
    mixed_spread,
    tied_spread,
)
from linclass.discriminant.statistics.spread import Spread


class ClassSpreads:
    """Factored covariances of the classes; the pooled one is computed only when needed."""

    def __init__(
        self,
        moments: ClassMoments,
        covariance: str,
        shrinkage: float = 0.0,
        own: Sequence[Spread] = (),
    ):
        """`own` are the factors of each class, if they are known."""
        self.moments, self.covariance = moments, covariance
        self.shrinkage, self.own = shrinkage, own
        self.deficient: list[tuple[int, AnySpread]] = []  # class, its singular covariance

    @cached_property
    def pooled(self) -> AnySpread:
        return tied_spread(self.moments, self.covariance)

    def of(self, k: int) -> AnySpread:
        d = self.moments.mean.shape[1]
        if self.shrinkage > 0:
            mixed = self.pooled if self.shrinkage == 1 else self._shrunk(k)
            if is_singular(mixed, d):
                self.deficient.append((k, mixed))
            return mixed
        own = self.own[k] if self.own else self._mixed(k, 0.0)
        if not is_singular(own, d):
            return own
        if self.moments.mass[k] > 0:
            self.deficient.append((k, own))
        return self.pooled

    @cached_property
    def freedoms(self) -> Array:
        return freedom_of_classes(self.moments, self.covariance)

    def _freedom(self, k: int) -> float:
        return float(self.freedoms[k])

    def _shrunk(self, k: int) -> AnySpread:
        """(1 − λ)Σ_k + λΣ; all shrinkages of matrices share the axes in which S_k and the pooled S are diagonal."""
        if self.moments.form in BY_ROWS:
            return self._mixed(k, self.shrinkage)
        whole, axes = self._relative_axes
        values, V = axes[k]
        f, share = freedom(self.moments, self.covariance), self.shrinkage
        root = np.sqrt((1 - share) * values / self._freedom(k) + share / f)
        return Spread(root[:, None] * (V.T @ whole.root), whole.whitener @ V / root)

    def _mixed(self, k: int, share: float) -> AnySpread:
        factors = np.full(len(self.moments.mass), share / freedom(self.moments, self.covariance))
        factors[k] += (1 - share) / self._freedom(k)
        return mixed_spread(self.moments, factors)

    @cached_property
    def _relative_axes(self) -> tuple[Spread, list[tuple[Array, Array]]]:
        """(F of S = FᵀF, ν_k and V_k of S_k = Fᵀ V_k diag(ν_k) V_kᵀ F): simultaneous diagonalization."""
        whole = Spread.of_covariance(self.moments.pooled, self.moments.negligible)
        W = whole.whitener
        pairs = [np.linalg.eigh(W.T @ S @ W) for S in self.moments.scatter]
        return whole, [(np.maximum(values, 0), V) for values, V in pairs]
