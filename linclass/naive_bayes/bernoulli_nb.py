"""Bernoulli naive Bayes: independent binary features,  z_k = ln π_k + Σ_j x_j θ_kj − ln(1 + e^{θ_kj}).

θ_kj = ln(p_kj / (1 − p_kj)), p_kj = (rows of class k with x_j = 1, + smoothing) / (n_k + 2 smoothing).
Unlike in the multinomial model, the absence of a word is evidence, too. The scores are linear in the
binarized features, to which coef_ and the geometry refer. Sparse rows stay sparse.

Predicts: log-odds, linear in the binarized x, and probabilities.
Cost: O(n d), one pass over the stored entries.
Certificate: closed form.
Reference: Manning, Raghavan & Schütze (2008), §13.3.
"""

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import ClassWeight, Matrix
from linclass.base.parameters import require_nonnegative
from linclass.discriminant.from_statistics import Scaled
from linclass.discriminant.priors import Priors, check_priors
from linclass.discriminant.statistics.class_sums import ClassSums
from linclass.naive_bayes.families.base import Family
from linclass.naive_bayes.families.bernoulli import Bernoulli
from linclass.naive_bayes.naive_bayes import LinearNaiveBayes

SAME = 1e-12  # share of the weights of all rows, up to which a sum is rounding


class BernoulliNB(LinearNaiveBayes):
    """Parameters
    ----------
    smoothing : float, default=1.0
        Number of ones, and of zeros, added to each feature of each class; 1 is Laplace's rule.
    binarize : float or None, default=0.0
        Threshold above which x counts as 1. None: X holds zeros and ones. Where all measurements are above
        it, they tell nothing: cut inside of them, or each at its median, Preprocessor(transforms=['binarize']).

    Attributes
    ----------
    coef_
    intercept_
    priors_ : array of shape (K,)
        Prior probabilities π_k.
    natural_ : list of arrays
        Natural parameters of each block of columns.
    families_ : list of Family
        Exponential family of each block of columns.
    statistics_ : object
        The sums over rows that the fit is a function of; `partial_fit` and `merge` add to them.
    """

    simpler: ClassVar[Mapping[str, int]] = {"smoothing": 1}
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

    def check(self) -> None:
        super().check()
        check_priors(self.priors)
        require_nonnegative("smoothing", self.smoothing)
        if self.binarize is not None and not isinstance(self.binarize, Real):
            raise ValueError(f"binarize is {self.binarize!r}; it must be a number or None.")

    def _learn(self, statistics: ClassSums) -> Self:
        ones, rows = statistics.sums[0], statistics.mass[:, None]
        total, all_rows = ones.sum(axis=0), rows.sum()
        self._is_constant = bool((np.minimum(total, all_rows - total) <= SAME * all_rows).all())
        return super()._learn(statistics)

    def _ending(self, trouble: list[tuple[int, int]], left: float | None) -> tuple[str, str]:
        if self.binarize is None or not self._is_constant:
            return super()._ending(trouble, left)
        return "rank_deficient", (
            f"every feature is above binarize={self.binarize!r} in all rows or in none, so all rows get the "
            "same class; use a value inside the data, or medians by "
            "Preprocessor(transforms=['binarize'])."
        )

    def _gathering(self) -> object:
        return self.binarize

    def _families(self) -> list[tuple[Family, Any, float]]:
        return [(Bernoulli(), slice(None), self.smoothing)]

    def _observed(self, X: Matrix) -> Matrix:
        if self.binarize is None:
            return X
        if not sp.issparse(X):
            return (self.binarize < X).astype(float)
        if self.binarize < 0:  # every zero becomes a one
            return (X.toarray() > self.binarize).astype(float)
        ones = (X.data > self.binarize).astype(float)
        return sp.csr_array((ones, X.indices, X.indptr), X.shape)

    def _scaled(self, statistics: Scaled, shift: np.ndarray, scale: np.ndarray) -> Scaled:
        if self.binarize == 0 and not np.any(shift):
            return statistics
        return super()._scaled(statistics, shift, scale)
