"""Multinomial naive Bayes: a row counts draws from the distribution of its class,  z_k = ln π_k + Σ_j x_j ln p_kj.

p_kj = (Σ x_ij over class k + smoothing) / (Σ_j of these). The total count of a row is no evidence for a
class. The scores are linear in x; counts may be weighted, as tf–idf does. Sparse rows stay sparse.

Predicts: log-odds, linear in x, and probabilities.
Cost: O(n d), one pass over the stored entries.
Certificate: closed form.
Reference: Manning, Raghavan & Schütze (2008), §13.2.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from linclass.base.arrays import ClassWeight
from linclass.base.parameters import require_nonnegative
from linclass.discriminant.priors import Priors, check_priors
from linclass.naive_bayes.families.base import Family
from linclass.naive_bayes.families.multinomial import Multinomial
from linclass.naive_bayes.naive_bayes import LinearNaiveBayes, NonNegative


class MultinomialNB(NonNegative, LinearNaiveBayes):
    """Parameters
    ----------
    smoothing : float, default=1.0
        Count added to each feature of each class; 1 is Laplace's rule.

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
    poor_score: ClassVar[bool] = True  # scikit-learn's suite fits it to measurements

    def __init__(
        self,
        priors: Priors = None,
        smoothing: float = Multinomial.smoothing,
        class_weight: ClassWeight = None,
    ):
        self.priors = priors
        self.smoothing = smoothing
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        check_priors(self.priors)
        require_nonnegative("smoothing", self.smoothing)

    def _families(self) -> list[tuple[Family, Any, float]]:
        return [(Multinomial(), slice(None), self.smoothing)]
