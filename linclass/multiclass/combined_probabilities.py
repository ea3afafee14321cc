"""Class probabilities that are combined from those of two-class problems, if a parameter says how.

Scores are then ln p_k, for two classes their log-odds. The classifiers inside may come from any library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array, EstimatorLike, MatrixLike
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.offsets import ProbabilitiesWithOffset
from linclass.base.predicted import predictions_of


class CombinedProbabilities:
    """Mixin of the reductions; without the parameter that combines, the attributes do not exist."""

    combined_by: ClassVar[str]  # the parameter, as a message names it
    form: ClassVar[type[SoftmaxProbabilities] | type[ProbabilitiesWithOffset]]  # of the methods
    estimators_: list[Any]
    # Defined by the reduction.
    _inner: Callable[[], EstimatorLike]

    def _uncombined(self) -> str:
        """What gives scores that are no probabilities; '' if they are combined."""
        raise NotImplementedError

    @property
    def predict_proba(self) -> Any:
        """Class probabilities, as a method of rows, only with the parameter that combines them.

        Returns an array of shape (n, K), in the order of `classes_`.
        """
        return self._probability(self.form, "predict_proba")

    @property
    def predict_log_proba(self) -> Any:
        """Their logarithms, as a method of rows, only with the parameter that combines them.

        Returns an array of shape (n, K), in the order of `classes_`.
        """
        return self._probability(self.form, "predict_log_proba")

    @property
    def log_proba_from(self) -> Any:
        """Log-probabilities of rows from their scores, as a method `log_proba_from(Z)`, where they exist."""
        return self._probability(SoftmaxProbabilities, "log_proba_from")

    def _probability(self, form: type, method: str) -> Any:
        if scores := self._uncombined():
            given = f"{scores} no probabilities, so no {method}"
            raise AttributeError(f"{given}; set {self.combined_by}.")
        return getattr(form, method).__get__(self)

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
