"""Offsets of generalized linear models: a known part of the scores, which no coefficient multiplies,

    Z = X Wᵀ + b + offset.

Examples are exposure, prior log-odds and scores of another model. A constant offset is subtracted from the intercept.
McCullagh & Nelder (1989), §2.2
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, MatrixLike, PerRow
from linclass.base.classifier import Classifier, SoftmaxProbabilities, of_scores
from linclass.base.parameters import arguments
from linclass.base.validation import row_weights


def row_offsets(offset: PerRow, shape: tuple[int, ...]) -> Array:
    """Finite float64 offsets, in the shape of the scores."""
    offsets = np.asarray(offset, dtype=np.float64)
    if offsets.shape != shape:
        each = "one per row" if len(shape) == 1 else "one per row and class"
        raise ValueError(f"offset has shape {offsets.shape}; it must be {shape}, {each}.")
    if not np.isfinite(offsets).all():
        bad = offsets[~np.isfinite(offsets)][0]
        raise ValueError(f"offset holds {bad:g}; offsets must be finite. Drop those rows.")
    return offsets


def offsets_of(offset: PerRow, sample_weight: PerRow, y: ArrayLike, K: int) -> Array:
    """The offsets, (n,) or for more than two classes (n, K), of the rows with positive weight."""
    rows = len(np.asarray(y))
    offsets = row_offsets(offset, (rows,) if K == 2 else (rows, K))
    return offsets[row_weights(sample_weight, rows) > 0]


def given_offset(offset: PerRow) -> dict[str, Any]:
    """The offset as an argument, if there is one: a subclass may define methods without it."""
    return {} if offset is None else {"offset": offset}


def require_offsets_taken(method: Any) -> None:
    """Raise ValueError unless a method has the argument."""
    if "offset" not in arguments(method):
        from sklearn.base import is_regressor

        owner = getattr(method, "__self__", method)
        such = "LinearRegression" if is_regressor(owner) else "LogisticRegression"
        raise ValueError(
            f"{type(owner).__name__} takes no offset in {method.__name__}; generalized linear models do, such as "
            f"{such}."
        )


class ProbabilitiesWithOffset(Classifier):
    """Classifiers whose scores have the offset as a summand, in fits and in predictions, and with probabilities."""

    def _offsets(self, offset: PerRow, sample_weight: PerRow, y: ArrayLike) -> Array | None:
        """Offsets of the rows with positive weight; None without offsets. Requires `classes_`."""
        return None if offset is None else offsets_of(offset, sample_weight, y, len(self.classes_))

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, offset: PerRow = None
    ) -> Self:
        raise NotImplementedError

    def score(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, offset: PerRow = None
    ) -> float:
        return self._accuracy(self.predict(X, **given_offset(offset)), y, sample_weight)

    def decision_function(self, X: MatrixLike, offset: PerRow = None) -> Array:
        Z = super().decision_function(X)
        return Z if offset is None else Z + row_offsets(offset, Z.shape)

    def predict(self, X: MatrixLike, offset: PerRow = None) -> Array:
        return self.classes_from(self.decision_function(X, **given_offset(offset)))

    log_proba_from = SoftmaxProbabilities.log_proba_from

    @of_scores
    def predict_log_proba(self, X: MatrixLike, offset: PerRow = None) -> Array:
        """Natural logarithm of the class probabilities, exact also where a probability underflows.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`.
        """
        return np.asarray(self.log_proba_from(self.decision_function(X, **given_offset(offset))))

    def predict_proba(self, X: MatrixLike, offset: PerRow = None) -> Array:
        """Class probabilities.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`; each row sums to 1.
        """
        return np.exp(self.predict_log_proba(X, **given_offset(offset)))
