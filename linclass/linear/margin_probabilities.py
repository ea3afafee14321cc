"""Probabilities of a loss that is minus a log likelihood of the margin:  P(y | x) = e^{−ℓ(y z)},  y = ±1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linclass.base.arrays import MatrixLike
from linclass.base.classifier import Classifier


class MarginProbabilities(Classifier):
    """For two classes; the estimator has a `loss`, a name."""

    loss: Any
    _loss: Callable[[], Any]

    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
        """Natural logarithm of the class probabilities, exact also where a probability underflows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n, 2)
            One column per class, in the order of `classes_`.
        """
        return MarginProbabilities.log_proba_from(self, self.decision_function(X))

    def log_proba_from(self, z: np.ndarray) -> np.ndarray:
        """Log-probabilities of rows, from their scores.

        Parameters
        ----------
        z : array of shape (n,)
            Scores as `decision_function` returns them.

        Returns
        -------
        array of shape (n, 2)
        """
        loss = self._loss()
        return np.column_stack([-loss.value(-z), -loss.value(z)])

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Class probabilities.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n, 2)
            One column per class, in the order of `classes_`; each row sums to 1.
        """
        return np.exp(MarginProbabilities.predict_log_proba(self, X))
