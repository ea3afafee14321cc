"""The constant baseline: every row has the class frequencies for probabilities,  z_k = ln(n_k / n).

What a classifier gets without looking at the features; whoever is not better has learned nothing.
"""

from typing import Any, ClassVar, Self

import numpy as np

from linclass.conventions import LinearScores, SoftmaxProbabilities


class MajorityClass(LinearScores, SoftmaxProbabilities):
    poor_score: ClassVar[bool] = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        mass = np.bincount(codes, weights)
        self.priors_ = mass / mass.sum()
        self._set_scores(np.zeros((len(mass), X.shape[1])), np.log(self.priors_))
        return self._record()
