"""Poisson naive Bayes: independent counts,  z_k = ln π_k + Σ_j x_j ln λ_kj − λ_kj.

λ_kj is the mean of x_j in class k, with `smoothing` rows of the overall mean added. Unlike in the
multinomial model, the total count of a row is evidence for a class. The scores are linear in x.

Predicts: log-odds, linear in x, and probabilities.
Cost: O(n d), one pass over the stored entries.
Certificate: closed form.
Reference: Agresti (2013), Categorical Data Analysis, §4.1.
"""

from typing import ClassVar

from linclass.base.linear_scores import LinearScores
from linclass.naive_bayes.families.base import Family
from linclass.naive_bayes.families.discrete import Poisson
from linclass.naive_bayes.naive_bayes import NaiveBayes


class PoissonNB(NaiveBayes, LinearScores):
    """Parameters
    ----------
    smoothing : float, default=1.0
        Number of rows with the mean of all rows that are added to each class.

    Attributes
    ----------
    coef_
    intercept_
    """

    family: ClassVar[type[Family]] = Poisson
    positive_only: ClassVar[bool] = True
