"""Multinomial naive Bayes: each sample is a vector of multinomial counts,  z_k = ln π_k + Σ_j x_j ln p_kj.

p_kj = (Σ x_ij over class k + smoothing) / (Σ_j of these). The total count of a row carries no
information about its class. The scores are linear in x; counts may be weighted, as tf–idf does. Sparse rows stay
sparse.

Predicts: log-odds, linear in x, and probabilities.
Cost: O(n d), one pass over the stored entries.
Certificate: closed form.
Reference: Manning, Raghavan & Schütze (2008), §13.2.
"""

from typing import ClassVar

import numpy as np

from linclass.base.linear_scores import LinearScores
from linclass.naive_bayes.families.base import Family
from linclass.naive_bayes.families.discrete import Multinomial
from linclass.naive_bayes.naive_bayes import NaiveBayes


class MultinomialNB(NaiveBayes, LinearScores):
    """Parameters
    ----------
    smoothing : float, default=1.0
        Count added to each feature of each class; 1 is Laplace's rule.

    Attributes
    ----------
    coef_
    intercept_
    feature_count_ : array of shape (K, d)
        Sum of each feature over the rows of each class.
    feature_log_prob_ : array of shape (K, d)
        ln p_kj.
    """

    family: ClassVar[type[Family]] = Multinomial
    positive_only: ClassVar[bool] = True
    poor_score: ClassVar[bool] = True  # scikit-learn's suite fits it to measurements

    @property
    def feature_count_(self) -> np.ndarray:
        """Sum of each feature over the rows of each class."""
        return np.asarray(self.statistics_.sums[0])

    @property
    def feature_log_prob_(self) -> np.ndarray:
        """Logarithms of the shares of the features in each class."""
        return self.natural_[0]
