"""The corrected resampled t test, which allows for the training rows that folds share:

    t = d̄ / (s √(1/n + n_test/n_train)),    n − 1 degrees of freedom,

with d the differences of two methods on the n folds of all repeats. A difference that is the same on every fold is
known to half a `step` (see below).
                                                                    Nadeau & Bengio (2003), Machine Learning 52
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.evaluation.comparisons.control import holm, holm_of_pairs
from linclass.evaluation.comparisons.friedman_test import (
    TIE,
    Array,
    checked_scores,
    documented_comparison,
)


class CorrectedT(NamedTuple):
    """Results for each pair [i, j], of scores i minus scores j, over the folds that both have.

    Attributes
    ----------
    difference, error : array of shape (k, k)
        Mean difference, and its corrected standard error.
    t, p : array of shape (k, k)
        The statistic, and its two-sided p-value.
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


class FoldsAgainstControl(NamedTuple):
    """Results of each method, of the control's scores minus its own, over the folds that both have.

    Attributes
    ----------
    difference : array of shape (k,)
        Mean difference, positive if the control is better.
    error : array of shape (k,)
        Its corrected standard error; NaN for the control itself, and so are the following.
    lower, upper : array of shape (k,)
        Ends of the confidence interval of the difference.
    p, holm : array of shape (k,)
        Two-sided p-value, and with Holm's correction over the k − 1 comparisons.
    n : array of shape (k,)
        Number of folds.
    """

    difference: Array
    error: Array
    lower: Array
    upper: Array
    p: Array
    holm: Array
    n: Array


@documented_comparison
def corrected_t(scores: Any, ratio: float, step: float = 0.0) -> CorrectedT:
    """The corrected resampled t test for each pair of methods on one data set."""
    table = checked_scores(scores)
    mean, error, t, p, n = of_pairs(table, np.arange(table.shape[1]), ratio, step)
    return CorrectedT(mean, error, t, p, holm_of_pairs(p), n)


@documented_comparison
def corrected_t_against_control(
    scores: Any, control: int, ratio: float, step: float = 0.0, level: float = 0.95
) -> FoldsAgainstControl:
    """The corrected resampled t test of each method against a control on one data set."""
    table = checked_scores(scores, methods=1)
    mean, error, _, p, n = (values[0] for values in of_pairs(table, [control], ratio, step))
    error[control] = p[control] = np.nan
    return FoldsAgainstControl(mean, error, *t_interval(mean, error, n, level), p, holm(p), n)


def of_pairs(table: Array, controls: Any, ratio: float, step: float) -> tuple[Array, ...]:
    """Mean difference, its standard error, t, p and n of each control minus each method."""
    from scipy.special import stdtr  # slow to import

    mean, sd, n = fold_moments(table[:, controls, None] - table[:, None, :])
    error = np.asarray(corrected_error(sd, np.maximum(n, 1), ratio, step), float)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / error
    p = 2 * stdtr(np.maximum(n - 1, 1), -np.abs(t))
    p[(np.abs(mean) <= TIE) & (sd <= TIE)] = 1.0  # the same on every fold
    return mean, error, t, p, n


# Confidence interval of the mean score over folds, corrected for training rows that folds share:
#
#     mean ± t_{n−1} · sd · √(1/n + n_test/n_train),
#
# with sd the sample standard deviation of the n folds of all repeats. If all folds have one value, as with no error in
# ten folds, sd = 0 would make the mean certain. Values of steps, such as 1/n_test for an accuracy, are then taken as
# known to half a step: sd = step/√12, the standard deviation of what rounding hides.
#                                                                     Nadeau & Bengio (2003), Machine Learning 52


class Interval(NamedTuple):
    """Mean score of each method, with its confidence interval.

    Attributes
    ----------
    mean : array of shape (k,)
        Mean over the folds.
    error : array of shape (k,)
        Corrected standard error of the mean; NaN with fewer than two folds.
    lower, upper : array of shape (k,)
        Ends of the interval.
    n : array of shape (k,)
        Number of folds with a score.
    """

    mean: Array
    error: Array
    lower: Array
    upper: Array
    n: Array


@documented_comparison
def corrected_error(sd: Any, n: Any, ratio: Any, step: Any = 0.0) -> Any:
    """Corrected standard error of the mean over folds.

    Parameters
    ----------
    sd : float or array
        Sample standard deviation of the folds.
    n : int or array
        Number of folds.

    Returns
    -------
    float or array
    """
    return np.where(np.asarray(sd) <= TIE, step / 12**0.5, sd) * (1 / n + ratio) ** 0.5


@documented_comparison
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

    Returns
    -------
    (lower, upper)
        NaN where the error is NaN.
    """
    from scipy.special import stdtrit  # slow to import

    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; it must be between 0 and 1, such as 0.95.")
    half = stdtrit(np.maximum(np.asarray(n) - 1, 1), (1 + level) / 2) * error
    return np.maximum(mean - half, bounds[0]), np.minimum(mean + half, bounds[1])


@documented_comparison
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
    ratio : float, or array of shape (k,)
        n_test/n_train, the ratio of test to training rows of a fold.

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
