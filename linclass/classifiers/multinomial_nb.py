"""Multinomial naive Bayes: a row counts draws from its class's features,  z_k = ln π_k + Σ_j x_j ln p_kj.

p_kj = (Σ x_ij over class k + smoothing) / (Σ_j of these). How many draws a row has says nothing of
its class. Linear in x; counts may be weighted, as tf–idf does. Sparse rows stay sparse.
Manning, Raghavan & Schütze (2008), §13.2
"""

from typing import Any, ClassVar

from linclass.estimators.naive_bayes import LinearNaiveBayes, NonNegative, check_smoothing
from linclass.families.base import Family
from linclass.families.multinomial import Multinomial
from linclass.statistics.priors import Priors, check_priors


class MultinomialNB(NonNegative, LinearNaiveBayes):
    poor_score: ClassVar[bool] = True  # on measurements, which the suite gives it as counts

    def __init__(self, priors: Priors = None, smoothing: float = Multinomial.smoothing):
        self.priors = priors
        self.smoothing = smoothing

    def check(self) -> None:
        check_priors(self.priors)
        check_smoothing(self.smoothing)

    def _families(self) -> list[tuple[Family, Any, float]]:
        return [(Multinomial(), slice(None), self.smoothing)]
