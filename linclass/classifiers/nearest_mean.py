"""Nearest mean:  argmin_k ‖x − m_k‖²  =  argmax_k  m_kᵀx − ½‖m_k‖².

The tied Gaussian with the identity for covariance and equal priors. It claims no probabilities:
the identity is a convention, not an estimate. Rows and means are taken from the overall mean, which
adds the same to all scores and keeps them small.   Hastie, Tibshirani & Friedman (2009), §4.3
"""

from typing import Any, Self

from linclass.conventions import LinearScores
from linclass.geometry import LinearGeometry
from linclass.moments import class_means


class NearestMean(LinearScores, LinearGeometry):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        mass, self.means_ = class_means(X, codes, weights, len(self.classes_))
        centre = mass @ self.means_ / mass.sum()
        M = self.means_ - centre
        self._set_scores(M, -0.5 * (M**2).sum(axis=1) - M @ centre)
        return self._record()
