"""The probability that a method is better on at least k of N data sets.

With probability π_s of being better on data set s, independently, the number of data sets is Poisson–binomial.
                                                     Dror, Baumer, Bogomolov & Reichart (2017), TACL 5, on replicability
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.evaluation.comparisons.score_table import Array


def at_least(probabilities: Any) -> Array:
    """P(better on at least k data sets), for k = 0, ..., N.

    Parameters
    ----------
    probabilities : array of shape (N,)
        Probability of being better on each data set.

    Returns
    -------
    array of shape (N + 1,)
    """
    count = np.ones(1)
    for probability in np.asarray(probabilities, float):
        count = np.append(count * (1 - probability), 0) + np.append(0, count * probability)
    return np.cumsum(count[::-1])[::-1]
