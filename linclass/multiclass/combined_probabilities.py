"""Class probabilities that are combined from those of two-class problems, if a parameter says how.

Scores are then ln p_k, for two classes their log-odds. The classifiers inside may come from any library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array, EstimatorLike, MatrixLike, log_probabilities
from linclass.base.classifier import of_scores, only_if
from linclass.base.predicted import predictions_of


class CombinedProbabilities:
    """Mixin of the reductions; the methods exist with the parameter that combines."""

    combined_by: ClassVar[str]  # the parameter, as a message names it
    estimators_: list[Any]
    # Defined by the reduction.
    _inner: Callable[[], EstimatorLike]
    decision_function: Callable[..., Array]

    def _uncombined(self) -> str:
        """What gives scores that are no probabilities; '' if they are combined."""
        raise NotImplementedError

    def _why_no_probabilities(self) -> str:
        scores = self._uncombined()
        return f"{scores} no probabilities; set {self.combined_by}" if scores else ""

    @only_if(_why_no_probabilities)
    def predict_proba(self, X: MatrixLike) -> Array:
        """Class probabilities, with the parameter that combines them.

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

    @only_if(_why_no_probabilities)
    @of_scores
    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Natural logarithm of the class probabilities, with the parameter that combines them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`.
        """
        return self.log_proba_from(self.decision_function(X))

    @only_if(_why_no_probabilities)
    def log_proba_from(self, Z: Array) -> Array:
        """Log-probabilities of rows, from their scores.

        Parameters
        ----------
        Z : array of shape (n,) or (n, K)
            Scores as `decision_function` returns them.

        Returns
        -------
        array of shape (n, K)
        """
        return log_probabilities(Z)

    def _require_probabilities_inside(self) -> None:
        """Raise ValueError for a classifier without `predict_proba`."""
        if not hasattr(inner := self._inner(), "predict_proba"):
            name = type(inner).__name__
            raise ValueError(
                f"{name} has no predict_proba; {self.combined_by} needs it. Use Calibrated({name}())."
            )

    def _log_pairs(self, X: MatrixLike, offsets: Iterable[Array | None]) -> list[Array]:
        """Log-probabilities (n, 2) of each problem."""
        found = []
        for inner, offset in zip(self.estimators_, offsets, strict=True):
            pair = predictions_of(inner, X, 2, offset)[2]
            if pair is None:
                name = type(inner).__name__
                raise ValueError(f"{name} gave no probabilities; {self.combined_by} needs them.")
            found.append(pair)
        return found


def log_odds(pair: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return pair[:, 1] - pair[:, 0]
