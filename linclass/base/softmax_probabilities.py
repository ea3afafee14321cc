"""Class probabilities that are the softmax of the scores."""

from __future__ import annotations

import numpy as np

from linclass.base.annotations import MatrixLike
from linclass.base.classifier import Classifier
from linclass.base.numerics import log_probability


class SoftmaxProbabilities(Classifier):
    """For models whose scores are log-odds (two classes) or log-probabilities up to a constant."""

    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
        """Natural logarithm of the class probabilities, exact also where a probability underflows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`.
        """
        return SoftmaxProbabilities.log_proba_from(self, self.decision_function(X))

    def log_proba_from(self, Z: np.ndarray) -> np.ndarray:
        """Log-probabilities of rows, from their scores.

        Parameters
        ----------
        Z : array of shape (n,) or (n, K)
            Scores as `decision_function` returns them.

        Returns
        -------
        array of shape (n, K)
        """
        return log_probability.from_scores(Z)

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Class probabilities.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`; each row sums to 1.
        """
        return np.exp(self.predict_log_proba(X))
