"""Confidence interval of the mean score over folds, corrected for training rows that folds share:

    mean ± t_{n−1} · sd · √(1/n + n_test/n_train),

with sd the sample standard deviation of the n folds of all repeats.     Nadeau & Bengio (2003), Machine Learning 52
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.comparisons.score_table import Array, checked


class Interval(NamedTuple):
    """Mean score of each method, with its confidence interval.

    Attributes
    ----------
    mean : array of shape (k,)
        Mean over the folds.
    error : array of shape (k,)
        Corrected standard error of the mean; NaN with fewer than two folds.
    lower : array of shape (k,)
        Lower end of the interval.
    upper : array of shape (k,)
        Upper end of the interval.
    n : array of shape (k,)
        Number of folds with a score.
    """

    mean: Array
    error: Array
    lower: Array
    upper: Array
    n: Array


def corrected_error(sd: Any, n: Any, ratio: Any) -> Any:
    """Corrected standard error of the mean over folds.

    Parameters
    ----------
    sd : float or array
        Sample standard deviation of the folds.
    n : int or array
        Number of folds.
    ratio : float or array
        n_test/n_train, the ratio of test to training rows of a fold.

    Returns
    -------
    float or array
    """
    return sd * (1 / n + ratio) ** 0.5


def corrected_interval(scores: Any, ratio: float, level: float = 0.95) -> Interval:
    """Corrected confidence interval of the mean score of each method on one data set.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N folds, greater is better; NaN where a score is missing.
    ratio : float
        n_test/n_train, the ratio of test to training rows of a fold.
    level : float, default=0.95
        Confidence level.

    Returns
    -------
    Interval
    """
    from scipy import stats  # slow to import

    table = checked(scores, methods=1)
    mean, sd, n = moments(table)
    error = corrected_error(sd, np.maximum(n, 1), ratio)
    half = stats.t.ppf((1 + level) / 2, np.maximum(n - 1, 1)) * error
    return Interval(mean, error, mean - half, mean + half, n)


def moments(table: Array) -> tuple[Array, Array, Array]:
    """Mean, sample standard deviation and number of the values of each column; NaN if there are too few."""
    n = np.count_nonzero(~np.isnan(table), axis=0)
    mean = np.where(n > 0, np.nansum(table, axis=0) / np.maximum(n, 1), np.nan)
    squares = np.nansum((table - mean) ** 2, axis=0)
    return mean, np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan), n
