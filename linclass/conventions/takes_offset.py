"""Offsets: a known part of the scores,  Z = X Wᵀ + b + offset,  which no coefficient multiplies.

Exposure, a prior log-odds, or the scores of another model. A constant offset moves the intercept by its negative.
McCullagh & Nelder (1989), §2.2
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from linclass.annotations import ArrayLike, EstimatorLike, MatrixLike
from linclass.conventions.classifier import Classifier
from linclass.validation import row_weights


class TakesOffset(Classifier):
    """Mixin of models with `log_proba_from`, the log-probabilities of given scores."""

    log_proba_from: Any

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Fit the classifier to training rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Class of each row: integers, booleans or strings, at least two classes.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; rows of weight 0 take no part. None weighs all rows
            equally.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores, in their form. None is 0.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def score(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> float:
        """Accuracy: the share of the rows (of their weight) whose class is predicted.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Test rows.
        y : array of shape (n,)
            True class of each row.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row; None weighs all rows equally.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores. None is 0.

        Returns
        -------
        float
        """
        return self._accuracy(self.predict(X, **_given(offset)), y, sample_weight)

    def decision_function(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Scores of rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores, which is added. None is 0.

        Returns
        -------
        array of shape (n,) for two classes, (n, K) for more
            One score per class in the order of `classes_`; for two classes the score of
            `classes_[1]`, which is predicted if it is positive.
        """
        Z = super().decision_function(X)
        return Z if offset is None else Z + row_offsets(offset, Z.shape)

    def predict(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Predicted class of each row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores. None is 0.

        Returns
        -------
        array of shape (n,)
        """
        return self.classes_from(self.decision_function(X, **_given(offset)))

    def predict_log_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Natural logarithm of the class probabilities, exact also where a probability underflows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores. None is 0.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`.
        """
        return np.asarray(self.log_proba_from(self.decision_function(X, **_given(offset))))

    def predict_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Class probabilities.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores. None is 0.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`; each row sums to 1.
        """
        return np.exp(self.predict_log_proba(X, **_given(offset)))


def offsets_of(
    offset: ArrayLike | None, sample_weight: ArrayLike | None, y: ArrayLike, K: int
) -> np.ndarray:
    """The offsets (n,), or (n, K) of more than two classes, of the rows whose weight is not zero."""
    rows = len(np.asarray(y))
    found = row_offsets(offset, (rows,) if K == 2 else (rows, K))
    return found[row_weights(sample_weight, rows) > 0]


def require_offsets_taken(model: EstimatorLike, method: str) -> None:
    """Raise ValueError unless the model's scores may have an offset."""
    if not isinstance(model, TakesOffset):
        raise ValueError(
            f"{type(model).__name__} takes no offset in {method}; those that do are LogisticRegression and "
            "ProbitRegression."
        )


def row_offsets(offset: ArrayLike | None, shape: tuple[int, ...]) -> np.ndarray:
    """Finite float64 offsets, in the shape of the scores."""
    found = np.asarray(offset, dtype=np.float64)
    if found.shape != shape:
        each = "one per row" if len(shape) == 1 else "one per row and class"
        raise ValueError(f"offset has shape {found.shape}; it must be {shape}, {each}.")
    if not np.isfinite(found).all():
        bad = found[~np.isfinite(found)][0]
        raise ValueError(f"offset holds {bad:g}; offsets must be finite. Drop those rows.")
    return found


def _given(offset: ArrayLike | None) -> dict[str, ArrayLike]:
    """The offset as an argument, if there is one: a subclass may define methods without it."""
    return {} if offset is None else {"offset": offset}
