"""Nearest mean:  argmin_k ‖x − m_k‖²  =  argmax_k  m_kᵀx − ½‖m_k‖².

The tied Gaussian with the identity for covariance and equal priors. It claims no probabilities:
the identity is a convention, not an estimate. Rows and means are taken from the overall mean, which
adds the same to all scores and keeps them small.   Hastie, Tibshirani & Friedman (2009), §4.3
"""

from typing import Any, Self

import numpy as np

from linclass.class_moments import ClassMoments
from linclass.conventions import LinearScores
from linclass.from_moments import FromMoments
from linclass.geometry import LinearGeometry


class NearestMean(FromMoments, LinearScores, LinearGeometry):
    def _form(self, X: Any, K: int) -> str:
        return "means"

    def _learn(self, statistics: ClassMoments) -> Self:
        self.means_, centre = statistics.means, statistics.centre
        M = self.means_ - centre
        b = -0.5 * (M**2).sum(axis=1) - M @ centre
        b[statistics.mass == 0] = -np.inf  # a class that has no rows yet
        self._set_scores(M, b)
        return self._record()
