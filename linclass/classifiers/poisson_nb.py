"""Poisson naive Bayes: independent counts,  z_k = ln π_k + Σ_j x_j ln λ_kj − λ_kj.

λ_kj is the mean of x_j in class k, with `smoothing` rows of the mean of all rows added. Unlike in
the multinomial model, how many counts a row has in all says something of its class. Linear in x.
Agresti (2013), Categorical Data Analysis, §4.1
"""

from typing import Any

from linclass.estimators.naive_bayes import LinearNaiveBayes, NonNegative, check_smoothing
from linclass.families.base import Family
from linclass.families.poisson import Poisson
from linclass.statistics.priors import Priors, check_priors


class PoissonNB(NonNegative, LinearNaiveBayes):
    def __init__(self, priors: Priors = None, smoothing: float = Poisson.smoothing):
        self.priors = priors
        self.smoothing = smoothing

    def check(self) -> None:
        check_priors(self.priors)
        check_smoothing(self.smoothing)

    def _families(self) -> list[tuple[Family, Any, float]]:
        return [(Poisson(), slice(None), self.smoothing)]
