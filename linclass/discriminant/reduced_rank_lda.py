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

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin

from linclass.base.arrays import ClassWeight, Matrix
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.linear_scores import Coordinates, LinearScores
from linclass.base.parameters import require_whole
from linclass.discriminant.class_moments import ClassMoments
from linclass.discriminant.covariance import tied_form
from linclass.discriminant.fisher_discriminant import Directions, directions, set_directions
from linclass.discriminant.from_statistics import (
    FromStatistics,
    Priors,
    check_priors,
    class_priors,
    log_priors,
)


class ReducedRankLDA(TransformerMixin, FromStatistics, LinearScores, SoftmaxProbabilities):
    """Parameters
    ----------
    n_components : int or None, default=2
        Number q of directions, at least 1. None takes all, at most min(K − 1, d).

    Attributes
    ----------
    coef_
    intercept_
    means_
    centre_ : array of shape (d,)
        Overall mean m = Σ_k π_k m_k.
    scalings_ : array of shape (d, q)
        The directions v_r, as columns.
    ratios_ : array of shape (q,)
        Their ratios vᵀBv / vᵀΣv, decreasing.
    priors_
    rank_ : int
        Rank of Σ.
    """

    simpler: ClassVar[Mapping[str, int]] = {"n_components": -1}
    _counts_rows = True

    def __init__(
        self, n_components: int | None = 2, priors: Priors = None, class_weight: ClassWeight = None
    ):
        self.n_components = n_components
        self.priors = priors
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        require_whole("n_components", self.n_components, 1, or_none=True)
        check_priors(self.priors)

    transform = Coordinates.transform
    fit_transform = Coordinates.fit_transform
    get_feature_names_out = Coordinates.get_feature_names_out
    _basis = Coordinates._basis

    def _form(self, X: Matrix, K: int) -> str:
        return tied_form(X, K, "full", type(self).__name__)

    def _estimates(self, stack: ClassMoments) -> Iterable[tuple[Any, ...]]:
        priors = class_priors(self.priors, stack.mass)
        weights = priors * (stack.mass > 0)  # a class without rows has no mean
        return zip(stack.split(), directions(stack, weights), priors, strict=True)

    def _set_estimates(
        self, statistics: ClassMoments, found: Directions, priors: np.ndarray
    ) -> Self:
        self.priors_ = priors
        return set_directions(self, statistics, found, log_priors(priors, statistics.mass), 1.0)
