"""Probabilities of a loss: if it is a negative log-likelihood, softmax of K scores or e^{−ℓ(y z)} of one; else its own
`log_probabilities`, if it has them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.offsets import ProbabilitiesWithOffset, TakesOffset
from linclass.linear.link_probabilities import LinkProbabilities
from linclass.linear.margin_probabilities import MarginProbabilities


class LossProbabilities(TakesOffset):
    """For classifiers with a `loss`, a name; without probabilities the attributes do not exist."""

    loss: Any
    _loss: Callable[[], Any]

    @property
    def predict_proba(self) -> Any:
        """Class probabilities, as a method `predict_proba(X, offset=None)`.

        Only losses that are negative log-likelihoods have it, 'logistic' and for two classes 'probit', and
        'bi_tempered', by the tempered softmax; for others the attribute does not exist. Returns an array of shape
        (n, K), in the order of `classes_`.
        """
        self._form("predict_proba")
        return ProbabilitiesWithOffset.predict_proba.__get__(self)

    @property
    def predict_log_proba(self) -> Any:
        """Logarithms of the class probabilities, as a method `predict_log_proba(X, offset=None)`.

        Only losses that are negative log-likelihoods have it, 'logistic' and for two classes 'probit', and
        'bi_tempered', by the tempered softmax. Returns an array of shape (n, K), in the order of `classes_`.
        """
        self._form("predict_log_proba")
        return ProbabilitiesWithOffset.predict_log_proba.__get__(self)

    @property
    def log_proba_from(self) -> Any:
        """Log-probabilities of rows from their scores, as a method `log_proba_from(Z)`, where they exist."""
        return self._form("log_proba_from").log_proba_from.__get__(self)

    def _form(
        self, method: str
    ) -> type[SoftmaxProbabilities] | type[MarginProbabilities] | type[LinkProbabilities]:
        """The kind of probabilities, or AttributeError."""
        loss = self._loss()
        if hasattr(loss, "log_probabilities"):
            return LinkProbabilities
        if not loss.probabilistic:
            raise AttributeError(f"loss={self.loss!r} gives no probabilities, so no {method}")
        if loss.joint or loss.binary:
            return SoftmaxProbabilities
        if len(getattr(self, "classes_", ())) > 2:
            raise AttributeError(
                f"one class against the rest by loss={self.loss!r} gives no probabilities that sum to "
                f"1, so no {method}; OneVsRest divides them by their sum"
            )
        return MarginProbabilities
