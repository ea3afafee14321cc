"""What every metric is a function of: the predictions for some held-out rows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Predictions:
    """Of n rows and K classes.

    y_true, y_pred   (n,) codes 0 … K−1 (y_pred: the action, where a decision rule has more)
    score            (n, K), two classes: −z/2 and z/2
    log_proba        (n, K), or None for a method that gives no probabilities
    positive         the class that precision, recall, F1 and AUC speak of when K = 2
    """

    y_true: np.ndarray
    y_pred: np.ndarray
    score: np.ndarray
    log_proba: np.ndarray | None
    positive: int

    @property
    def n_classes(self) -> int:
        return self.score.shape[1]

    @cached_property
    def confusion(self) -> np.ndarray:
        """C[i, j] = how many rows of class i are predicted as j; counted once for all metrics."""
        K = self.n_classes
        width = max(K, int(self.y_pred.max(initial=0)) + 1)
        cell = self.y_true.astype(np.int64) * width + self.y_pred
        return np.bincount(cell, minlength=K * width).reshape(K, width)

    @cached_property
    def per_class(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(right, predicted, actual): rows of each class that are hit, named, and there."""
        C, K = self.confusion, self.n_classes
        return C.diagonal()[:K], C.sum(axis=0)[:K], C.sum(axis=1)
