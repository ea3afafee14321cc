"""Classifiers that are functions of class means and scatter matrices, in the form that each needs."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np

from linclass.base.arrays import Matrix
from linclass.discriminant.from_statistics import FromStatistics
from linclass.discriminant.left_out import HeldOut, moments_left_out
from linclass.discriminant.statistics.class_moments import ClassMoments


class FromMoments(FromStatistics[ClassMoments, ClassMoments]):
    def _form(self, X: Matrix, K: int) -> str:
        """The form of the moments for these rows of K classes (moments.FORMS)."""
        raise NotImplementedError

    def _gather(self, X: Matrix, codes: np.ndarray, weights: np.ndarray, K: int) -> ClassMoments:
        return ClassMoments.of(X, codes, weights, K, self._form(X, K))

    def _left_out(
        self, X: Matrix, codes: np.ndarray, weights: np.ndarray, K: int, folds: HeldOut
    ) -> Iterator[ClassMoments]:
        return moments_left_out(X, codes, weights, K, self._form(X, K), folds)


class FromStackedMoments(FromMoments):
    """Those whose formula is of the moments of many folds, with a leading axis; a single fit is a stack of one."""

    def _learned(self, stack: ClassMoments) -> Iterable[tuple[Any, ...]]:
        """What `_take` sets, of each fold of a stack."""
        raise NotImplementedError

    def _take(self, *learned: Any) -> Self:
        """Set the fitted attributes."""
        raise NotImplementedError

    def _learn(self, statistics: ClassMoments) -> Self:
        (alone,) = self._learned(statistics.stacked())
        return self._take(*alone)

    def _learn_stack(self, stack: ClassMoments) -> list[Self]:
        return [copy.copy(self)._take(*learned) for learned in self._learned(stack)]
