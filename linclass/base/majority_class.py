"""The constant baseline: every row has the class frequencies for probabilities,  z_k = ln(n_k / n).

It ignores the features; a classifier that is not better has learned nothing from them.

Predicts: log-odds and probabilities, the same for every row.
Cost: O(n).
Certificate: closed form.
Reference: Duda, Hart & Stork (2001), §2.1.
"""

from typing import ClassVar, Self

import numpy as np

from linclass.base.arrays import ArrayLike, ClassWeight, MatrixLike, PerRow
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.linear_scores import LinearScores


class MajorityClass(LinearScores, SoftmaxProbabilities):
    """Attributes
    ----------
    priors_ : array of shape (K,)
        Class frequencies.
    coef_ : array of shape (1, d) for two classes, (K, d) for more
        Zeros.
    intercept_
    """

    multiplies_features: ClassVar[bool] = False

    poor_score: ClassVar[bool] = True

    def __init__(self, class_weight: ClassWeight = None):
        self.class_weight = class_weight

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        mass = np.bincount(codes, weights)
        self.priors_ = mass / mass.sum()
        self._set_scores(np.zeros((len(mass), X.shape[1])), np.log(self.priors_))
        return self._record()
