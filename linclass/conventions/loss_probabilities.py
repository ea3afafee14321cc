"""Probabilities, if the loss is a negative log-likelihood: softmax of K scores, or e^{−ℓ(y z)} of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linclass.conventions.classifier import Classifier
from linclass.conventions.margin_probabilities import MarginProbabilities
from linclass.conventions.softmax_probabilities import SoftmaxProbabilities


class LossProbabilities(Classifier):
    """For classifiers with a `loss`, a name; without probabilities the attributes do not exist."""

    loss: Any
    _loss: Callable[[], Any]

    @property
    def predict_proba(self) -> Any:
        """Class probabilities, as a method `predict_proba(X)`.

        Only losses that are negative log-likelihoods have it: 'logistic', and for two classes
        'probit'; for others the attribute does not exist. Returns an array of shape (n, K), in the order of `classes_`.
        """
        return self._probability("predict_proba")

    @property
    def predict_log_proba(self) -> Any:
        """Logarithms of the class probabilities, as a method `predict_log_proba(X)`.

        Only losses that are negative log-likelihoods have it: 'logistic', and for two classes
        'probit'. Returns an array of shape (n, K), in the order of `classes_`.
        """
        return self._probability("predict_log_proba")

    def _probability(self, method: str) -> Any:
        loss = self._loss()
        if not loss.probabilistic:
            raise AttributeError(f"loss={self.loss!r} gives no probabilities, so no {method}")
        if loss.joint or loss.binary:
            return getattr(SoftmaxProbabilities, method).__get__(self)
        if len(getattr(self, "classes_", ())) > 2:
            raise AttributeError(
                f"one class against the rest by loss={self.loss!r} gives no probabilities that sum to "
                f"1, so no {method}"
            )
        return getattr(MarginProbabilities, method).__get__(self)
