"""Probabilities of a loss with a link of its own, such as the tempered softmax, which gives them from the scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linclass.base.offsets import TakesOffset


class LinkProbabilities(TakesOffset):
    """For classifiers whose loss has `log_probabilities`."""

    _loss: Callable[[], Any]

    def log_proba_from(self, Z: np.ndarray) -> np.ndarray:
        """Log-probabilities (n, K) of rows, from their scores (n,) or (n, K)."""
        return np.asarray(self._loss().log_probabilities(np.asarray(Z)))
