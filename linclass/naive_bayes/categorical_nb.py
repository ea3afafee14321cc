"""Categorical naive Bayes: features are levels 0, 1, 2, …,  z_k = ln π_k + Σ_j ln p_kj(x_j).

p_kj(l) = (rows of class k with x_j = l, + smoothing) / (n_k + smoothing · levels of j). The scores are
linear in the one-hot vector of x, with the coefficients natural_[0]. A level without training rows
does not influence the scores; a number between two levels counts as the lower one.

Predicts: log-odds, linear in the indicators of the levels, and probabilities.
Cost: O(n d), and memory for K times all levels.
Certificate: closed form.
Reference: Hastie, Tibshirani & Friedman (2009), §6.6.3.
"""

from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import ClassWeight, Matrix, Tags
from linclass.discriminant.from_statistics import Priors
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
    """

    family: ClassVar[type[Family]] = Categorical
    positive_only: ClassVar[bool] = True

    def __init__(
        self,
        priors: Priors = None,
        smoothing: float = Categorical.smoothing,
        class_weight: ClassWeight = None,
    ):
        self.priors = priors
        self.smoothing = smoothing
        self.class_weight = class_weight

    def _observed(self, X: Matrix) -> Matrix:
        return X.floor() if sp.issparse(X) else np.floor(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags
