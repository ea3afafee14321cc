"""Categorical naive Bayes: features are levels 0, 1, 2, …,  z_k = ln π_k + Σ_j ln p_kj(x_j).

p_kj(l) = (rows of class k with x_j = l, + smoothing) / (n_k + smoothing · levels of j). The scores are
linear in the one-hot vector of x, with the coefficients natural_[0]. A level without training rows
does not influence the scores; a number between two levels counts as the lower one.

Predicts: log-odds, linear in the indicators of the levels, and probabilities.
Cost: O(n d), and memory for K times the levels of all features.
Certificate: closed form.
Reference: Hastie, Tibshirani & Friedman (2009), §6.6.3.
"""

from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Array, Matrix, Tags
from linclass.naive_bayes.families.base import Family
from linclass.naive_bayes.families.discrete import Categorical
from linclass.naive_bayes.naive_bayes import NaiveBayes


class CategoricalNB(NaiveBayes):
    """Parameters
    ----------
    smoothing : float, default=1.0
        Number of rows added to each level of each feature of each class.

    Attributes
    ----------
    intercept_ : array of shape (K,)
        Constant of each score.
    n_categories_ : array of shape (d,)
        Number of levels of each feature: those up to the highest one with training rows.
    category_count_ : list of d arrays of shape (K, levels)
        Weight of each level of a feature in each class.
    feature_log_prob_ : list of d arrays of shape (K, levels)
        ln p_kj(l) of each level of a feature.
    """

    family: ClassVar[type[Family]] = Categorical
    positive_only: ClassVar[bool] = True

    @property
    def n_categories_(self) -> Array:
        """Number of levels of each feature."""
        counts = self.families_[0].by_feature(self.statistics_.sums[0])
        seen = [np.flatnonzero((own > 0).any(axis=0)) for own in counts]
        return np.array([levels.max(initial=-1) + 1 for levels in seen])

    @property
    def category_count_(self) -> list[Array]:
        """Weight of each level in each class, by feature."""
        return self._by_feature(self.statistics_.sums[0])

    @property
    def feature_log_prob_(self) -> list[Array]:
        """Logarithms of the probabilities of levels in each class, by feature."""
        return self._by_feature(self.natural_[0])

    def _by_feature(self, values: Array) -> list[Array]:
        each = zip(self.families_[0].by_feature(values), self.n_categories_, strict=True)
        return [own[:, :levels] for own, levels in each]

    def _observed(self, X: Matrix) -> Matrix:
        return X.floor() if sp.issparse(X) else np.floor(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags
