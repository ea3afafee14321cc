"""Classifiers that are functions of class means and scatter matrices, in the form that each needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linclass.generative.from_statistics import FromStatistics, HeldOut
from linclass.generative.left_out import moments_left_out
from linclass.statistics.class_moments import ClassMoments


class FromMoments(FromStatistics):
    def _form(self, X: Any, K: int) -> str:
        """The form of the moments for these rows of K classes (moments.FORMS)."""
        raise NotImplementedError

    def _gather(self, X: Any, codes: np.ndarray, weights: np.ndarray, K: int) -> Any:
        return ClassMoments.of(X, codes, weights, K, self._form(X, K))

    def _gather_part(self, total: Any, X: Any, codes: np.ndarray, weights: np.ndarray) -> Any:
        return ClassMoments.of(X, codes, weights, len(total.mass), total.form)

    def _left_out(
        self, X: Any, codes: np.ndarray, weights: np.ndarray, K: int, folds: HeldOut
    ) -> Iterator[Any]:
        return moments_left_out(X, codes, weights, K, self._form(X, K), folds)
