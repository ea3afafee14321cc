"""What sums over rows, of any kind, can do: a model that is a function of them needs no more of the rows.

`ClassMoments`, `QuarticMoments` and `ClassSums` are such sums. Those of several folds, computed at once, are a stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

import numpy as np

from linclass.base.arrays import Array, Matrix


def placed(values: Array, places: Array, K: int, absent: float = 0.0) -> Array:
    """The values of some classes at their places among K."""
    wider = np.full((K, *values.shape[1:]), absent)
    wider[places] = values
    return wider


class Scalable(Protocol):
    def scaled(self, shift: Array, scale: Array) -> Self:
        """The sums over the rows (x − shift) / scale."""


class Additive(Scalable, Protocol):
    @property
    def mass(self) -> Array:
        """Σ w of each class, (K,)."""

    def times(self, factor: Any) -> Self:
        """The sums with all weights multiplied by a factor."""

    def __add__(self, other: Self, /) -> Self: ...
    def __sub__(self, part: Self, /) -> Self: ...

    def lost(self, before: Self, /) -> Any:
        """Whether too little is left of what was there `before`; an array says it of each feature."""

    def of_part(self, X: Matrix, codes: Array, weights: Array) -> Self:
        """The sums over some of the rows, in the same form."""

    def of_classes(self, kept: Array) -> Self:
        """The sums of some classes; the others have no rows."""

    def among(self, places: Array, K: int) -> Self:
        """The sums among K classes, with ours at these positions; the others have no rows."""

    def stacked(self) -> Any:
        """As a stack of one fold."""


class Stack(Scalable, Protocol):
    @property
    def mass(self) -> Array:
        """(folds, K)."""

    def times(self, factor: Any) -> Self:
        """The sums with all weights multiplied by a factor, one for each fold."""

    def split(self) -> Sequence[Any]:
        """The sums of each fold."""
