"""The corrected resampled t test, which allows for the training rows that folds share:

    t = d̄ / (s √(1/n + n_test/n_train)),    n − 1 degrees of freedom,

with d the differences of two methods on the n folds of all repeats. A difference that is the same on every fold is
known to half a `step` (confidence_interval.py).
                                                                    Nadeau & Bengio (2003), Machine Learning 52
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.evaluation.comparisons.confidence_interval import (
    corrected_error,
    fold_moments,
    t_interval,
)
from linclass.evaluation.comparisons.corrections import holm, holm_of_pairs
from linclass.evaluation.comparisons.score_table import TIE, Array, checked_scores


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


class FoldsAgainstControl(NamedTuple):
    """Results of each method, of the control's scores minus its own, over the folds that both have.

    Attributes
    ----------
    difference : array of shape (k,)
        Mean difference, positive if the control is better.
    error : array of shape (k,)
        Its corrected standard error; NaN for the control itself, and so are the following.
    lower : array of shape (k,)
        Lower end of the confidence interval of the difference.
    upper : array of shape (k,)
        Upper end.
    p : array of shape (k,)
        Two-sided p-value.
    holm : array of shape (k,)
        p-value with Holm's correction over the k − 1 comparisons.
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
    table = checked_scores(scores)
    of_each = [_against(table, j, ratio, step) for j in range(table.shape[1])]
    mean, error, t, p, n = (np.array(values) for values in zip(*of_each, strict=True))
    return CorrectedT(mean, error, t, p, holm_of_pairs(p), n)


def corrected_t_against_control(
    scores: Any, control: int, ratio: float, step: float = 0.0, level: float = 0.95
) -> FoldsAgainstControl:
    """The corrected resampled t test of each method against a control on one data set.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N folds, greater is better; NaN where a score is missing.
    control : int
        Column of the control.
    ratio : float
        n_test/n_train, the ratio of test to training rows of a fold.
    step : float, default=0.0
        As for `corrected_t`.
    level : float, default=0.95
        Confidence level of the intervals.

    Returns
    -------
    FoldsAgainstControl
    """
    table = checked_scores(scores, methods=1)
    mean, error, _, p, n = _against(table, control, ratio, step)
    error[control] = p[control] = np.nan
    return FoldsAgainstControl(mean, error, *t_interval(mean, error, n, level), p, holm(p), n)


def _against(table: Array, control: int, ratio: float, step: float) -> tuple[Array, ...]:
    """Mean difference, its standard error, t, p and n of a control minus each method."""
    from scipy.special import stdtr  # slow to import

    mean, sd, n = fold_moments(table[:, [control]] - table)
    error = np.asarray(corrected_error(sd, np.maximum(n, 1), ratio, step), float)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / error
    p = 2 * stdtr(np.maximum(n - 1, 1), -np.abs(t))
    p[(np.abs(mean) <= TIE) & (sd <= TIE)] = 1.0  # the same on every fold
    return mean, error, t, p, n
