"""Poisson naive Bayes: independent counts,  z_k = ln π_k + Σ_j x_j ln λ_kj − λ_kj.

λ_kj is the mean of x_j in class k, with `smoothing` rows of the overall mean added. Unlike in the
multinomial model, the total count of a row is evidence for a class. The scores are linear in x.

Predicts: log-odds, linear in x, and probabilities.
Cost: O(n d), one pass over the stored entries.
Certificate: closed form.
Reference: Agresti (2013), Categorical Data Analysis, §4.1.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from linclass.base.arrays import ClassWeight
from linclass.base.parameters import require_nonnegative
from linclass.discriminant.priors import Priors, check_priors
from linclass.naive_bayes.families.base import Family
from linclass.naive_bayes.families.poisson import Poisson
from linclass.naive_bayes.naive_bayes import LinearNaiveBayes, NonNegative


class PoissonNB(NonNegative, LinearNaiveBayes):
    """Parameters
    ----------
    smoothing : float, default=1.0
        Number of rows with the mean of all rows that are added to each class.

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

    def __init__(
        self,
        priors: Priors = None,
        smoothing: float = Poisson.smoothing,
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
        return [(Poisson(), slice(None), self.smoothing)]
