"""Nearest mean:  argmin_k ‖x − m_k‖²  =  argmax_k  m_kᵀx − ½‖m_k‖².

The tied Gaussian with the identity for covariance and equal priors. It claims no probabilities:
the identity is a convention, not an estimate. Rows and means are taken from the overall mean, which
adds the same to all scores and keeps them small.   Hastie, Tibshirani & Friedman (2009), §4.3
"""

import copy
from typing import Any, Self

import numpy as np

from linclass.conventions import LinearScores
from linclass.estimators.geometry import LinearGeometry
from linclass.statistics.class_moments import ClassMoments
from linclass.statistics.from_moments import FromMoments


class NearestMean(FromMoments, LinearScores, LinearGeometry):
    def _form(self, X: Any, K: int) -> str:
        return "means"

    def _learn(self, statistics: ClassMoments) -> Self:
        return self._take(0, statistics.means, *_scores(statistics.stacked()))

    def _learn_stack(self, stack: ClassMoments) -> list[Self]:
        means, scores = stack.means, _scores(stack)
        return [copy.copy(self)._take(j, means[j], *scores) for j in range(len(means))]

    def _take(self, j: int, means: np.ndarray, W: np.ndarray, b: np.ndarray) -> Self:
        self.means_ = means
        self._set_scores(W[j], b[j])
        return self._record()


def _scores(stack: ClassMoments) -> tuple[np.ndarray, np.ndarray]:
    """(W, b) of each fold of a stack."""
    centre = stack.centre
    M = stack.means - centre[:, None]
    b = -0.5 * (M**2).sum(axis=-1) - (M @ centre[..., None])[..., 0]
    return M, np.where(stack.mass > 0, b, -np.inf)  # a class that has no rows yet
