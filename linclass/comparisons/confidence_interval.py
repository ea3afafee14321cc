"""The mean of a method over folds, and how far from it the truth may be: folds share training rows, so their scores say
less than as many independent ones would.

    mean ± t_{n−1} · sd · √(1/n + n_test/n_train),

with sd the sample standard deviation of the n folds of all repeats.     Nadeau & Bengio (2003), Machine Learning 52
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.comparisons.score_table import Array, checked


class Interval(NamedTuple):
    """Of each method; `n` counts the folds that it has."""

    mean: Array
    error: Array
    lower: Array
    upper: Array
    n: Array


def corrected_error(sd: Any, n: Any, ratio: Any) -> Any:
    """The standard error of the mean of n folds; `ratio` is n_test/n_train."""
    return sd * (1 / n + ratio) ** 0.5


def corrected_interval(scores: Any, ratio: float, level: float = 0.95) -> Interval:
    """Of a table, folds × methods; error, lower and upper are NaN where fewer than two folds tell of a spread."""
    from scipy import stats  # slow to import

    table = checked(scores, methods=1)
    mean, sd, n = moments(table)
    error = corrected_error(sd, np.maximum(n, 1), ratio)
    half = stats.t.ppf((1 + level) / 2, np.maximum(n - 1, 1)) * error
    return Interval(mean, error, mean - half, mean + half, n)


def moments(table: Array) -> tuple[Array, Array, Array]:
    """Mean, sample standard deviation and number of each column's values; NaN where there are too few."""
    n = np.count_nonzero(~np.isnan(table), axis=0)
    mean = np.where(n > 0, np.nansum(table, axis=0) / np.maximum(n, 1), np.nan)
    squares = np.nansum((table - mean) ** 2, axis=0)
    return mean, np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan), n
