"""The corrected resampled t test, which allows for the training rows that folds share:

    t = d̄ / (s √(1/n + n_test/n_train)),    n − 1 degrees of freedom,

with d the differences of two methods on the n folds of all repeats. A difference that is the same on every fold is
known to half a `step` (confidence_interval.py).
                                                                    Nadeau & Bengio (2003), Machine Learning 52
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.comparisons.confidence_interval import corrected_error, fold_moments
from linclass.comparisons.corrections import holm_of_pairs
from linclass.comparisons.score_table import TIE, Array, checked_scores


class CorrectedT(NamedTuple):
    """Results for each pair [i, j], of scores i minus scores j, over the folds that both have.

    Attributes
    ----------
    difference : array of shape (k, k)
        Mean difference.
    error : array of shape (k, k)
        Its corrected standard error.
    t : array of shape (k, k)
        The statistic.
    p : array of shape (k, k)
        Two-sided p-value.
    adjusted : array of shape (k, k)
        p-value with Holm's correction over the pairs.
    n : array of shape (k, k)
        Number of folds.
    """

    difference: Array
    error: Array
    t: Array
    p: Array
    adjusted: Array
    n: Array


def corrected_t(scores: Any, ratio: float, step: float = 0.0) -> CorrectedT:
    """The corrected resampled t test for each pair of methods on one data set.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N folds, greater is better; NaN where a score is missing.
    ratio : float
        n_test/n_train, the ratio of test to training rows of a fold.
    step : float, default=0.0
        Least difference of two scores of a fold, such as 1/n_test for an accuracy. A difference that is the same on
        every fold is known to half a step; with 0 it is certain.

    Returns
    -------
    CorrectedT
    """
    from scipy.special import stdtr  # slow to import

    table = checked_scores(scores)
    of_each = [fold_moments(column[:, None] - table) for column in table.T]
    mean, sd, n = (np.array(values) for values in zip(*of_each, strict=True))
    error = corrected_error(sd, np.maximum(n, 1), ratio, step)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / error
    p = 2 * stdtr(np.maximum(n - 1, 1), -np.abs(t))
    p[(np.abs(mean) <= TIE) & (sd <= TIE)] = 1.0  # the same on every fold
    return CorrectedT(mean, error, t, p, holm_of_pairs(p), n)
