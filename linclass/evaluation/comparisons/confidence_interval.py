"""Confidence interval of the mean score over folds, corrected for training rows that folds share:

    mean ± t_{n−1} · sd · √(1/n + n_test/n_train),

with sd the sample standard deviation of the n folds of all repeats. If all folds have one value, as with no error in
ten folds, sd = 0 would make the mean certain. Values of steps, such as 1/n_test for an accuracy, are then taken as
known to half a step: sd = step/√12, the standard deviation of what rounding hides.
                                                                    Nadeau & Bengio (2003), Machine Learning 52
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.evaluation.comparisons.score_table import TIE, Array, checked_scores


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


def corrected_error(sd: Any, n: Any, ratio: Any, step: Any = 0.0) -> Any:
    """Corrected standard error of the mean over folds.

    Parameters
    ----------
    sd : float or array
        Sample standard deviation of the folds.
    n : int or array
        Number of folds.
    ratio : float or array
        n_test/n_train, the ratio of test to training rows of a fold.
    step : float or array, default=0.0
        Least difference of two scores of a fold, such as 1/n_test for an accuracy. If all folds have one value,
        they are known to half a step.

    Returns
    -------
    float or array
    """
    return np.where(np.asarray(sd) <= TIE, step / 12**0.5, sd) * (1 / n + ratio) ** 0.5


def t_interval(
    mean: Any,
    error: Any,
    n: Any,
    level: float = 0.95,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> tuple[Any, Any]:
    """Confidence interval of a mean from its standard error, mean ± t_{n−1} · error.

    Parameters
    ----------
    mean, error : float or array
        Mean and its standard error, see `corrected_error`.
    n : int or array
        Number of values.
    level : float, default=0.95
        Confidence level.
    bounds : (float, float), default=(-inf, inf)
        Least and greatest value of the metric, at which intervals end.

    Returns
    -------
    (lower, upper)
        NaN where the error is NaN.
    """
    from scipy.special import stdtrit  # slow to import

    half = stdtrit(np.maximum(np.asarray(n) - 1, 1), (1 + level) / 2) * error
    return np.maximum(mean - half, bounds[0]), np.minimum(mean + half, bounds[1])


def corrected_interval(
    scores: Any,
    ratio: Any,
    level: float = 0.95,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    step: float = 0.0,
) -> Interval:
    """Corrected confidence interval of the mean score of each method on one data set.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N folds; NaN where a score is missing.
    ratio : float, or array of shape (k,)
        n_test/n_train, the ratio of test to training rows of a fold.
    level : float, default=0.95
        Confidence level.
    bounds : (float, float), default=(-inf, inf)
        Least and greatest value of the metric, at which intervals end.
    step : float, default=0.0
        Least difference of two scores of a fold, such as 1/n_test for an accuracy. If all folds have one value,
        they are known to half a step.

    Returns
    -------
    Interval
        Its error, lower and upper are NaN for methods with fewer than two scores.
    """
    table = checked_scores(scores, methods=1)
    mean, sd, n = fold_moments(table)
    error = corrected_error(sd, np.maximum(n, 1), ratio, step)
    return Interval(mean, error, *t_interval(mean, error, n, level, bounds), n)


def fold_moments(table: Array) -> tuple[Array, Array, Array]:
    """Mean, sample standard deviation and number of the values of each column; NaN if there are too few."""
    n = np.count_nonzero(~np.isnan(table), axis=0)
    mean = np.where(n > 0, np.nansum(table, axis=0) / np.maximum(n, 1), np.nan)
    squares = np.nansum((table - mean) ** 2, axis=0)
    return mean, np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan), n
