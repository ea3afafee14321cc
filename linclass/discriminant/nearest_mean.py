"""Nearest mean:  argmin_k ‖x − m_k‖²  =  argmax_k  m_kᵀx − ½‖m_k‖².

It is linear discriminant analysis with Σ = I and equal priors. It gives no probabilities, because Σ = I
is a convention and not an estimate. Rows and means are taken relative to the overall mean, which changes
all scores by the same number and keeps them small.

Predicts: scores, linear in x.
Cost: O(n d).
Certificate: closed form.
Reference: Hastie, Tibshirani & Friedman (2009), §4.3.
"""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from linclass.base.arrays import Matrix
from linclass.base.linear_scores import LinearScores
from linclass.discriminant.class_moments import ClassMoments
from linclass.discriminant.from_statistics import FromStatistics


class NearestMean(FromStatistics, LinearScores):
    """It has no parameters.

    Attributes
    ----------
    coef_
    intercept_
    means_
    """

    def __init__(self) -> None:
        """Make a classifier; it has no parameters."""

    def _form(self, X: Matrix, K: int) -> str:
        return "means"

    def _estimates(self, stack: ClassMoments) -> Iterable[tuple[Any, ...]]:
        means, centre = stack.means, stack.centre
        M = means - centre[:, None]
        b = -0.5 * (M**2).sum(axis=-1) - (M @ centre[..., None])[..., 0]
        b = np.where(stack.mass > 0, b, -np.inf)  # a class without rows
        return zip(means, M, b, strict=True)

    def _set_estimates(self, *estimates: Any) -> Self:
        self.means_, *scores = estimates
        self._set_scores(*scores)
        return self._record()
