"""Sums of sufficient statistics by class, which can be added and subtracted:  n_k = Σ w_i,  s_k = Σ w_i T(x_i).

They are all that an exponential family needs of the rows. Blocks of columns may have different families. Before
sums of two sets of rows are combined they are expressed in one family: the same origin, the same levels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linclass.base.arrays import Array, Index, Matrix
from linclass.base.messages import NotApplicable
from linclass.discriminant.class_moments import placed
from linclass.naive_bayes.families.base import as_dense

BLOCK = 4096  # rows


@dataclass(frozen=True, eq=False)
class ClassSums:
    """The sums of all classes: families and columns of blocks, weights (K,), and sums (K, m) of each block."""

    families: tuple[Any, ...]
    columns: tuple[Any, ...]
    mass: Array
    sums: tuple[Array, ...]

    @classmethod
    def of(
        cls, families: Any, columns: Any, X: Matrix, codes: Array, weights: Array, K: int
    ) -> ClassSums:
        """The sums over these rows; the families are fitted, so their origins and levels are known."""
        sums: list[Any] = [0.0] * len(families)
        for begin in range(0, max(len(codes), 1), BLOCK):
            some = slice(begin, begin + BLOCK)
            k = codes[some]
            belongs = np.zeros((K, len(k)))  # the weights of the rows of each class
            belongs[k, np.arange(len(k))] = weights[some]
            for i, (family, own) in enumerate(zip(families, columns, strict=True)):
                parts = family.of_rows(k).statistic(columns_of(X[some], own))
                sums[i] = sums[i] + np.hstack([as_dense(belongs @ T) for T in parts])
        return cls(tuple(families), tuple(columns), np.bincount(codes, weights, K), tuple(sums))

    def of_part(self, X: Matrix, codes: Array, weights: Array) -> ClassSums:
        """The sums over some of the rows, of the same families."""
        return self.of(self.families, self.columns, X, codes, weights, len(self.mass))

    def __add__(self, other: ClassSums) -> ClassSums:
        return self._with(other, 1)

    def __sub__(self, part: ClassSums) -> ClassSums:
        left = self._with(part, -1)
        gone = left.mass <= 1e-9 * self.mass
        sums = tuple(np.where(gone[:, None], 0, s) for s in left.sums)
        return replace(left, mass=np.where(gone, 0, left.mass), sums=sums)

    def lost(self, before: ClassSums) -> bool:
        """Whether too little is left of what was there `before`."""
        there = self.mass > 0
        parts = zip(self.families, self.sums, before.sums, strict=True)
        return any(
            family.of_classes(there).lost(
                _mean(self.mass, left)[there], _mean(before.mass, was)[there]
            )
            for family, left, was in parts
        )

    def scaled(self, shift: Array, scale: Array) -> ClassSums:
        raise NotApplicable("counts and shares cannot be rescaled; leave standardize out.")

    def times(self, factor: float) -> ClassSums:
        return replace(
            self, mass=self.mass * factor, sums=tuple(factor * each for each in self.sums)
        )

    def stacked(self) -> StackOfOne:
        """The sums as a stack of one fold."""
        return StackOfOne(self)

    def of_classes(self, kept: Array) -> ClassSums:
        families = tuple(family.of_classes(kept) for family in self.families)
        sums = tuple(s[kept] for s in self.sums)
        return replace(self, families=families, mass=self.mass[kept], sums=sums)

    def among(self, places: Array, K: int) -> ClassSums:
        """The sums among K classes, with ours at these positions; the others have no rows."""
        families = tuple(family.among(places, K) for family in self.families)
        mass, *sums = (placed(values, places, K) for values in (self.mass, *self.sums))
        return replace(self, families=families, mass=mass, sums=tuple(sums))

    def _with(self, other: ClassSums, sign: int) -> ClassSums:
        families, sums = [], []
        pairs = zip(self.families, other.families, self.sums, other.sums, strict=True)
        for ours, theirs, a, b in pairs:
            family = ours.joined(theirs)
            a, b = ours.rebased(family, self.mass, a), theirs.rebased(family, other.mass, b)
            families.append(family)
            sums.append(a + sign * b)
        mass = self.mass + sign * other.mass
        return replace(self, families=tuple(families), mass=mass, sums=tuple(sums))


class StackOfOne:
    """The sums as a stack of one fold, as those of several folds are not computed at once."""

    def __init__(self, sums: ClassSums):
        self.sums, self.mass = sums, sums.mass[None]

    def split(self) -> list[ClassSums]:
        return [self.sums]

    def times(self, factor: Array) -> StackOfOne:
        return StackOfOne(self.sums.times(factor[0]))

    def scaled(self, shift: Array, scale: Array) -> StackOfOne:
        return StackOfOne(self.sums.scaled(shift[0], scale[0]))


def _mean(mass: Array, sums: Array) -> Array:
    return sums / np.where(mass > 0, mass, 1)[:, None]


def columns_of(X: Matrix, own: Index) -> Any:
    """Some columns; no copy if they are all."""
    return X if isinstance(own, slice) and own == slice(None) else X[:, own]
