"""Probabilities of a loss: if it is a negative log-likelihood, softmax of K scores or e^{−ℓ(y z)} of one; else its own
`log_probabilities`, if it has them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linclass.base.arrays import ArrayLike, MatrixLike, log_probabilities
from linclass.base.classifier import of_scores, only_if
from linclass.base.offsets import TakesOffset, given_offset


class LossProbabilities(TakesOffset):
    """For classifiers with a `loss`, a name; without probabilities the methods do not exist."""

    loss: Any
    _loss: Callable[[], Any]

    def _why_no_probabilities(self) -> str:
        loss = self._loss()
        if not (loss.probabilistic or hasattr(loss, "log_probabilities")):
            return f"loss={self.loss!r} gives no probabilities"
        joint = hasattr(loss, "log_probabilities") or loss.joint or loss.binary
        if not joint and len(getattr(self, "classes_", ())) > 2:
            return (
                f"one class against the rest by loss={self.loss!r} gives no probabilities that sum to 1; "
                "OneVsRest divides them by their sum"
            )
        return ""

    @only_if(_why_no_probabilities)
    def predict_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Class probabilities.

        They exist for losses that are negative log-likelihoods, 'logistic' and for two classes 'probit', and for
        'bi_tempered', by the tempered softmax.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None
            Known part of the scores. None is 0.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`; each row sums to 1.
        """
        return np.exp(self.predict_log_proba(X, **given_offset(offset)))

    @only_if(_why_no_probabilities)
    @of_scores
    def predict_log_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Natural logarithm of the class probabilities, where they exist, exact also where a probability underflows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None
            Known part of the scores. None is 0.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`.
        """
        return self.log_proba_from(self.decision_function(X, **given_offset(offset)))

    @only_if(_why_no_probabilities)
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
        loss = self._loss()
        if hasattr(loss, "log_probabilities"):
            return np.asarray(loss.log_probabilities(np.asarray(Z)))
        if loss.joint or loss.binary:
            return log_probabilities(Z)
        return np.column_stack([-loss.value(-Z), -loss.value(Z)])
