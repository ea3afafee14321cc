"""Categorical naive Bayes: features are levels 0, 1, 2, …,  z_k = ln π_k + Σ_j ln p_kj(x_j).

p_kj(l) = (rows of class k with x_j = l, + smoothing) / (n_k + smoothing · levels of j). Linear in the
one-hot vector of x, with the coefficients natural_[0], level by level. A level that no row had
says nothing of the class; a number between two levels counts as the lower.
Hastie, Tibshirani & Friedman (2009), §6.6.3
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.estimators.naive_bayes import NonNegative, check_smoothing
from linclass.families.base import Family
from linclass.families.categorical import Categorical
from linclass.statistics.priors import Priors, check_priors


class CategoricalNB(NonNegative):
    def __init__(self, priors: Priors = None, smoothing: float = Categorical.smoothing):
        self.priors = priors
        self.smoothing = smoothing

    def check(self) -> None:
        check_priors(self.priors)
        check_smoothing(self.smoothing)

    def _families(self) -> list[tuple[Family, Any, float]]:
        return [(Categorical(), slice(None), self.smoothing)]

    def _observed(self, X: Any) -> Any:
        return X.floor() if sp.issparse(X) else np.floor(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags
