"""Bernoulli naive Bayes: independent binary features,  z_k = ln π_k + Σ_j x_j θ_kj − ln(1 + e^{θ_kj}).

θ_kj = ln(p_kj / (1 − p_kj)), p_kj = (rows of class k with x_j = 1, + smoothing) / (n_k + 2 smoothing).
Unlike in the multinomial model, the absence of a word is evidence, too. The scores are linear in the
binarized features, to which coef_ and the geometry refer. Sparse rows stay sparse.

Predicts: log-odds, linear in the binarized x, and probabilities.
Cost: O(n d), one pass over the stored entries.
Certificate: closed form.
Reference: Manning, Raghavan & Schütze (2008), §13.3.
"""

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import log_expit

from linclass.base.arrays import Array, ClassWeight, Matrix
from linclass.base.linear_scores import LinearScores, scores_of_stack
from linclass.base.many_fits import Scaling
from linclass.discriminant.from_statistics import Priors
from linclass.naive_bayes.class_sums import ClassSums
from linclass.naive_bayes.families.base import Family
from linclass.naive_bayes.families.discrete import Bernoulli
from linclass.naive_bayes.naive_bayes import NaiveBayes

SAME = 1e-12  # share of the weights of all rows, up to which a sum is rounding


class BernoulliNB(NaiveBayes, LinearScores):
    """Parameters
    ----------
    smoothing : float, default=1.0
        Number of ones, and of zeros, added to each feature of each class; 1 is Laplace's rule.
    binarize : float or None, default=0.0
        Threshold above which x counts as 1. None: X holds zeros and ones. If it is outside the range of the data,
        choose a threshold within, or the median of each feature by Preprocessor(transforms=['binarize']).

    Attributes
    ----------
    coef_
    intercept_
    feature_count_ : array of shape (K, d)
        Number of ones of each feature in each class.
    feature_log_prob_ : array of shape (K, d)
        ln p_kj.
    """

    family: ClassVar[type[Family]] = Bernoulli
    multiplies_features: ClassVar[bool] = False

    poor_score: ClassVar[bool] = True  # scikit-learn's suite fits it to measurements

    def __init__(
        self,
        priors: Priors = None,
        smoothing: float = Bernoulli.smoothing,
        binarize: float | None = 0.0,
        class_weight: ClassWeight = None,
    ):
        self.priors = priors
        self.smoothing = smoothing
        self.binarize = binarize
        self.class_weight = class_weight

    @property
    def feature_count_(self) -> Array:
        """Number of ones of each feature in each class."""
        return np.asarray(self.statistics_.sums[0])

    @property
    def feature_log_prob_(self) -> Array:
        """Logarithms of the probabilities of ones."""
        return log_expit(self.natural_[0])

    def check(self) -> None:
        super().check()
        if self.binarize is not None and not isinstance(self.binarize, Real):
            raise ValueError(f"binarize is {self.binarize!r}; it must be a number or None.")

    def _set_estimates(self, statistics: ClassSums) -> Self:
        ones, rows = statistics.sums[0], statistics.mass[:, None]
        total, all_rows = ones.sum(axis=0), rows.sum()
        self._is_constant = bool((np.minimum(total, all_rows - total) <= SAME * all_rows).all())
        return super()._set_estimates(statistics)

    def _ending(self, on_boundary: list[tuple[int, int]], left: float | None) -> tuple[str, str]:
        if self.binarize is None or not self._is_constant:
            return super()._ending(on_boundary, left)
        return "rank_deficient", (
            f"every feature is above binarize={self.binarize!r} in all rows or in none, so all rows get the "
            "same class; use a value inside the data, or medians by "
            "Preprocessor(transforms=['binarize'])."
        )

    def _parameters_of_sums(self) -> object:
        return self.binarize

    def _observed(self, X: Matrix) -> Matrix:
        if self.binarize is None:
            return X
        if not sp.issparse(X):
            return (self.binarize < X).astype(float)
        if self.binarize < 0:  # every zero becomes a one
            return (X.toarray() > self.binarize).astype(float)
        ones = (X.data > self.binarize).astype(float)
        return sp.csr_array((ones, X.indices, X.indptr), X.shape)

    def _scaled(self, statistics: Any, shift: Array, scale: Array) -> Any:
        if self.binarize == 0 and not np.any(shift):
            return statistics
        return super()._scaled(statistics, shift, scale)

    @staticmethod
    def _scores_of_stack(models: Sequence[Any], X: Array, scaling: Scaling | None = None) -> Array:
        return scores_of_stack(models, models[0]._observed(X), scaling)
