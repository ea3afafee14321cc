"""The shrinkage α of the covariance that classes share, chosen once: a number, or Ledoit and Wolf's estimate.

Each says which sums over rows the fit needs, those of all rows and those without the rows of a fold, and what they
give: the moments of the classes and α. The estimate needs moments up to the fourth, of a full covariance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from linclass.base.arrays import Array, Matrix
from linclass.discriminant.left_out import HeldOut, moments_left_out, sums_left_out
from linclass.discriminant.statistics.class_moments import ClassMoments
from linclass.discriminant.statistics.class_sums import StackOfOne
from linclass.discriminant.statistics.covariance import is_wide
from linclass.discriminant.statistics.ledoit_wolf import share_of_moments, share_of_rows
from linclass.discriminant.statistics.quartic_moments import QuarticMoments

Shrunk = tuple[ClassMoments, float]  # a stack of moments, and the α of each of them


class GivenShrinkage:
    """α is a number, and `form_of` the form of the moments for rows of K classes."""

    def __init__(self, share: float, form_of: Callable[[Matrix, int], str]):
        self.share, self.form_of = share, form_of

    def sums(self, X: Matrix, codes: Array, weights: Array, K: int) -> ClassMoments:
        return ClassMoments.of(X, codes, weights, K, self.form_of(X, K))

    def sums_left_out(
        self, X: Matrix, codes: Array, weights: Array, K: int, folds: HeldOut
    ) -> Iterator[ClassMoments]:
        return moments_left_out(X, codes, weights, K, self.form_of(X, K), folds)

    def of_sums(self, stack: ClassMoments) -> Shrunk:
        return stack, self.share

    def of_few_rows(self, X: Matrix, codes: Array, weights: Array, K: int) -> Shrunk | None:
        """Where the rows are fewer than their sums; None if the sums serve."""
        return None


class LedoitWolfShrinkage:
    """α is estimated."""

    def sums(self, X: Matrix, codes: Array, weights: Array, K: int) -> QuarticMoments:
        return QuarticMoments.of(X, codes, weights, K)

    def sums_left_out(
        self, X: Matrix, codes: Array, weights: Array, K: int, folds: HeldOut
    ) -> Iterator[Any]:
        if is_wide(X, K):
            return moments_left_out(X, codes, weights, K, "rows", folds)
        return sums_left_out(self.sums, X, codes, weights, K, folds)

    def of_sums(self, stack: StackOfOne[QuarticMoments] | ClassMoments) -> Shrunk:
        if isinstance(stack, ClassMoments):
            return stack, share_of_rows(stack.scatter[0])
        return stack.statistics.moments.stacked(), share_of_moments(stack.statistics)

    def of_few_rows(self, X: Matrix, codes: Array, weights: Array, K: int) -> Shrunk | None:
        if not is_wide(X, K):
            return None
        rows = ClassMoments.of(X, codes, weights, K, "rows")
        return rows.stacked(), share_of_rows(rows.scatter)
