"""Classifiers whose scores may have an offset (linclass/base/offsets.py), in fits and in predictions."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from linclass.base.annotations import ArrayLike, MatrixLike
from linclass.base.classifier import Classifier
from linclass.base.offsets import given_offset, offsets_of, row_offsets


class TakesOffset(Classifier):
    """Mixin of models whose scores have the offset as a summand."""

    def _offsets(
        self, offset: ArrayLike | None, sample_weight: ArrayLike | None, y: ArrayLike
    ) -> np.ndarray | None:
        """Those of the rows whose weight is not zero, if there are any, once the classes are known."""
        return None if offset is None else offsets_of(offset, sample_weight, y, len(self.classes_))

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
        return self._accuracy(self.predict(X, **given_offset(offset)), y, sample_weight)

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
        return self.classes_from(self.decision_function(X, **given_offset(offset)))


class ProbabilitiesWithOffset(TakesOffset):
    """The same with `log_proba_from`, the log-probabilities of given scores."""

    log_proba_from: Any

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
        return np.asarray(self.log_proba_from(self.decision_function(X, **given_offset(offset))))

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
        return np.exp(self.predict_log_proba(X, **given_offset(offset)))
