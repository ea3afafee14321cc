"""Reduced-rank linear discriminant analysis: Gaussian classes whose means lie in a q-dimensional affine space,

    z_k = −½ ‖Vᵀ(x − m_k)‖² + ln π_k,   V = (v_1 … v_q),   v_r maximize  vᵀBv / vᵀΣv,

with Σ the covariance within the classes, B = Σ_k π_k (m_k − m)(m_k − m)ᵀ between them, vᵀΣv = 1. These are Fisher's
directions, and with means confined to them it is maximum likelihood (Hastie & Tibshirani 1996); unlike
FisherDiscriminant it has priors and probabilities. With all directions, min(K − 1, d), it is linear discriminant
analysis. `transform` gives the discriminant coordinates Vᵀ(x − m).

Predicts: log-odds, linear in x, probabilities and discriminant coordinates.
Cost: O(n d min(n, d)).
Certificate: closed form.
Reference: Hastie, Tibshirani & Friedman (2009), §4.3.3; Hastie & Tibshirani (1996), JRSS B 58.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from linclass.base.arrays import ClassWeight, Matrix
from linclass.base.classifier import SoftmaxProbabilities
from linclass.discriminant.fisher_discriminant import FisherDiscriminant
from linclass.discriminant.priors import Priors, check_priors, class_priors, log_priors_of_present
from linclass.discriminant.statistics.class_moments import ClassMoments
from linclass.discriminant.without_one_row import log_priors_of_others


class ReducedRankLDA(FisherDiscriminant, SoftmaxProbabilities):
    """Parameters
    ----------
    n_components : int or None, default=2
        Number q of directions, at least 1. None takes all, at most min(K − 1, d).

    Attributes
    ----------
    centre_ : array of shape (d,)
        Overall mean m = Σ_k π_k m_k.
    scalings_ : array of shape (d, q)
        The directions v_r, as columns.
    ratios_ : array of shape (q,)
        Their ratios vᵀBv / vᵀΣv, decreasing.
    priors_ : array of shape (K,)
        Prior probabilities π_k.
    rank_ : int
        Rank of Σ.
    """

    def __init__(
        self, n_components: int | None = 2, priors: Priors = None, class_weight: ClassWeight = None
    ):
        self.n_components = n_components
        self.priors = priors
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        check_priors(self.priors)

    def _weights(self, statistics: ClassMoments) -> np.ndarray:
        """π_k; 0 for a class without rows, which has no mean."""
        return class_priors(self.priors, statistics.mass) * (statistics.mass > 0)

    def _take(self, statistics: ClassMoments, *parts: Any) -> Self:
        self.priors_ = class_priors(self.priors, statistics.mass)
        return super()._take(statistics, *parts)

    def _ratio(self, squares: np.ndarray, divisor: float) -> np.ndarray:
        return squares

    def _offsets(self, mass: np.ndarray) -> np.ndarray:
        return log_priors_of_present(self.priors_, mass)

    def _scores_of_others(
        self, X: Matrix, codes: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        Z, lone = super()._scores_of_others(X, codes, weights)
        mass = self.statistics_.mass
        return Z + log_priors_of_others(self.priors, codes, weights, mass), lone
