"""Weights that count rows: N − K, a prior or a visit to a row depends on their sum, not only on their ratios."""

from __future__ import annotations

import numpy as np

from linclass.annotations import ArrayLike, Matrix, MatrixLike
from linclass.conventions.classifier import Classifier


class CountsRows(Classifier):
    """Mixin of classifiers whose fit depends on the sum of the weights."""

    def _start_rows(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[Matrix, np.ndarray, np.ndarray]:
        X, codes, weights = super()._start_rows(X, y, sample_weight)
        return X, codes, as_counts(weights, len(self.classes_)) if self._sum_matters else weights

    @property
    def _sum_matters(self) -> bool:
        """Whether it does with these parameters."""
        return True


def as_counts(weights: np.ndarray, classes: int) -> np.ndarray:
    """The weights, where they count rows. A sum up to the number of classes counts none: such weights, as AdaBoost's,
    are shares of the rows, and their mean becomes 1.
    """
    total = float(weights.sum())
    shares = total <= classes * (1 + 1e-9) and total < len(weights)
    return weights * (len(weights) / total) if shares else weights
