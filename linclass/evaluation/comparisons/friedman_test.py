"""Ranks of the methods on each data set, 1 for the best; equal scores share the mean of their ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from numbers import Real
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.special import bdtrc, chdtrc, fdtrc, ndtr

from linclass.base.documentation import documented
from linclass.base.messages import counted
from linclass.base.parameters import require_whole

Array = np.ndarray
Compared = TypeVar("Compared", bound=Callable[..., Any])
TIE = 1e-9  # scores that differ by less are equal: rounding must not decide who wins
SHARED = """A comparison of methods.

Parameters
----------
scores : array of shape (N, k)
    Scores of k methods on N data sets, or on N folds of one; greater is better, NaN where a score is missing.
average : array of shape (k,)
    Average ranks of the methods, 1 for the best.
n : int
    Number of data sets.
control : int
    Index of the control among the methods.
differences : array of shape (n,)
    Differences of paired scores, NaN where one is missing; those to count as equal must be equal.
p : array
    p-values; NaN stands for a test that was not made.
ratio : float
    n_test/n_train, the ratio of test to training rows of a fold.
step : float
    Least difference of two scores of a fold, such as 1/n_test for an accuracy. A difference, or a score, that is the
    same on every fold is known to half a step; with 0 it is certain.
level : float
    Confidence level of the intervals.
bounds : (float, float)
    Least and greatest value of the metric, at which intervals end.
rope : float
    Largest difference of scores that makes no difference in practice.
seed : int
    Seed of the random draws.
"""


def documented_comparison(function: Compared) -> Compared:
    """Complete the docstring of a comparison with the parameters that comparisons share."""
    return documented(function, SHARED)


@documented_comparison
def ranks(scores: Any) -> Array:
    """Ranks of the methods within each row.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets or folds, greater is better; NaN where a score is missing. A missing
        score has no rank, and the others are ranked without it.

    Returns
    -------
    array of shape (N, k)
        NaN where a score is missing.
    """
    table = checked_scores(scores, methods=1)
    return np.array([_ranks_of_row(row) for row in table]).reshape(table.shape)


@documented_comparison
def average_ranks(scores: Any) -> Array:
    """Mean rank of each method over data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; no score may be missing.

    Returns
    -------
    array of shape (k,)
    """
    return ranks(checked_scores(scores, complete=True)).mean(axis=0)


def _ranks_of_row(row: Array) -> Array:
    found = np.full(len(row), np.nan)
    order = np.argsort(-row, kind="stable")[: np.count_nonzero(~np.isnan(row))]
    begin = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or row[order[begin]] - row[order[end]] > TIE:
            found[order[begin:end]] = (begin + 1 + end) / 2
            begin = end
    return found


# Validation of the table of scores, and when two scores are equal.


def checked_scores(scores: Any, complete: bool = False, methods: int = 2) -> Array:
    """The scores as a float matrix, rows × methods; otherwise ValueError with the remedy."""
    table = np.asarray(scores, float)
    if table.ndim != 2:
        raise ValueError(
            f"scores have {counted(table.ndim, 'dimension')}; give a table, rows × methods."
        )
    if table.shape[1] < methods:
        raise ValueError(
            f"scores have {counted(table.shape[1], 'method')}; compare at least {methods}."
        )
    if np.isinf(table).any():
        raise ValueError("scores contain inf; give NaN for what is missing.")
    if complete and np.isnan(table).any():
        missing = int(np.isnan(table).sum())
        raise ValueError(
            f"{missing} of {table.size} scores are missing, and this test needs all of them; "
            "use leave_out_missing(scores) or missing_as_worst(scores) first, or both."
        )
    return table


def differences(scores: Array, i: int, j: int) -> Array:
    """Scores of method i minus those of j, on the rows that have both; 0 where they are equal.

    Differences are rounded to multiples of TIE, so that equal differences have equal ranks.
    """
    d = scores[:, i] - scores[:, j]
    d = d[~np.isnan(d)]
    return np.round(d / TIE) * TIE


# Friedman's test: are the ranks of k methods on n data sets more unequal than by chance?
#
#     χ² = (k − 1) Σ_j (R_j − n(k+1)/2)² / (Σ_ij r_ij² − n k (k+1)²/4),      R_j = Σ_i r_ij,
#
# which corrects for ties; without ties it is the usual 12/(n k (k+1)) Σ R_j² − 3n(k+1). Iman and Davenport's
#
#     F = (n − 1) χ² / (n(k − 1) − χ²)    with k − 1 and (k − 1)(n − 1) degrees of freedom
#
# is less conservative.        Friedman (1937); Iman & Davenport (1980); Demšar (2006), JMLR 7, §3.2.2


class Friedman(NamedTuple):
    """Result of Friedman's test.

    Attributes
    ----------
    ranks : array of shape (k,)
        Average ranks.
    n : int
        Number of data sets.
    statistic, p : float
        χ², corrected for ties, and its p-value.
    f, f_p : float
        Iman and Davenport's F, and its p-value.
    without_ties : float
        χ² without the correction.
    """

    ranks: Array
    n: int
    statistic: float
    p: float
    f: float
    f_p: float
    without_ties: float


@documented_comparison
def friedman(scores: Any) -> Friedman:
    """Friedman's test of at least three methods on at least two data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; no score may be missing.
    """
    table = checked_scores(scores, complete=True, methods=3)
    n, k = table.shape
    if n < 2:
        raise ValueError(f"{n} data set is too few for Friedman's test; compare on at least 2.")
    r = ranks(table)
    spread = float((r**2).sum() - n * k * (k + 1) ** 2 / 4)
    between = float(((r.sum(axis=0) - n * (k + 1) / 2) ** 2).sum())
    statistic = (k - 1) * between / spread if spread else 0.0  # all methods equal everywhere
    plain = 12 * between / (n * k * (k + 1))
    return _result(r.mean(axis=0), n, statistic, plain)


@documented_comparison
def friedman_of_ranks(average: Any, n: int) -> Friedman:
    """Friedman's test from published average ranks, without ties."""
    average = np.asarray(average, float)
    k = len(average)
    statistic = 12 * n / (k * (k + 1)) * float((average**2).sum() - k * (k + 1) ** 2 / 4)
    return _result(average, n, statistic, statistic)


def _result(average: Array, n: int, statistic: float, plain: float) -> Friedman:
    k = len(average)
    most = n * (k - 1)
    f = np.inf if statistic >= most else (n - 1) * statistic / (most - statistic)
    f_p = float(fdtrc(k - 1, (k - 1) * (n - 1), f))
    p = float(chdtrc(k - 1, statistic))
    return Friedman(average, n, float(statistic), p, float(f), f_p, float(plain))


# Nemenyi's test of all pairs after Friedman's: two methods differ if their average ranks are farther apart than
#
# CD = q_α √(k(k+1) / (6n)),    q_α the studentized range for k groups and infinitely many degrees of freedom, over √2.
#
# Of two methods this is the sign test's normal approximation, by which 7 wins of 8 would be significant, with p =
# .0703. So two methods are compared by the sign test itself: the wins of one are Binomial(n, ½).
#                                                                 Nemenyi (1963); Demšar (2006), JMLR 7, §3.2.2

STEP = 0.05  # of an integral over a normal variable


class Nemenyi(NamedTuple):
    """Result of Nemenyi's test.

    Attributes
    ----------
    ranks : array of shape (k,)
        Average ranks.
    n : int
        Number of data sets.
    critical_difference : float
        Smallest significant difference of average ranks.
    p : array of shape (k, k)
        p-value of each pair.
    groups : list of lists of int
        Maximal sets of methods within one critical difference, best first.
    """

    ranks: Array
    n: int
    critical_difference: float
    p: Array
    groups: list[list[int]]


@documented_comparison
def nemenyi(scores: Any, alpha: float = 0.05) -> Nemenyi:
    """Nemenyi's test of all pairs of methods across data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; no score may be missing.
    alpha : float
        Significance level of the critical difference.
    """
    table = checked_scores(scores, complete=True)
    n, k = table.shape
    average = average_ranks(table)
    apart = np.abs(average[:, None] - average)
    if k > 2:
        p = range_tail(apart / _standard_error(k, n) * np.sqrt(2), k)
    else:
        p = _two_sided(np.ceil(n * (1 + apart) / 2 - TIE), n)  # a tie is half a win
    np.fill_diagonal(p, 1.0)
    difference = critical_difference(k, n, alpha)
    return Nemenyi(average, n, difference, p, indistinguishable(average, difference))


@documented_comparison
def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Smallest significant difference of average ranks.

    Parameters
    ----------
    k : int
        Number of methods, at least 2.
    n : int
        Number of data sets, at least 1.
    alpha : float
        Significance level, between 0 and 1.
    """
    require_whole("k", k, 2)
    require_whole("n", n, 1)
    if not (isinstance(alpha, Real) and 0 < alpha < 1):
        raise ValueError(f"alpha is {alpha!r}; it must be a number between 0 and 1, such as 0.05.")
    if k > 2:
        return quantile(k, alpha) * _standard_error(k, n)
    wins = np.arange((n + 1) // 2, n + 1)
    most = int(wins[_two_sided(wins, n) > alpha].max())  # wins that are not significant
    return (2 * most - n) / n + TIE  # above the rounding of mean ranks


@cache
def quantile(k: int, alpha: float) -> float:
    """q_α, as tabulated by Demšar (2006), table 5."""
    low, high = 0.0, 40.0
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if range_tail(middle, k) > alpha else (low, middle)
    return high / float(np.sqrt(2))


def range_tail(q: Any, k: int) -> Array:
    """Probability that the range of k standard normal variables exceeds q:  1 − k ∫ φ(z) (Φ(z) − Φ(z − q))ᵏ⁻¹ dz.

    The trapezoidal rule is exact to rounding, as the integrand is smooth and vanishes at both ends. scipy.stats has the
    same distribution, but takes half a second to import.
    """
    z = np.arange(-9, 9, STEP)
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    within = ndtr(z) - ndtr(z - np.asarray(q, float)[..., None])
    return np.maximum(0.0, 1 - k * STEP * within ** (k - 1) @ density)


def _two_sided(wins: Array, n: int) -> Array:
    """Probability that one of two equal methods wins at least so often."""
    return np.minimum(1.0, 2 * np.where(wins > 0, bdtrc(wins - 1, n, 0.5), 1.0))


def indistinguishable(average: Array, difference: float) -> list[list[int]]:
    """The maximal sets of at least two methods whose ranks span at most the difference."""
    order = np.argsort(average, kind="stable")
    found: list[list[int]] = []
    reached = 0
    for begin in range(len(order)):
        end = begin
        while end < len(order) and average[order[end]] - average[order[begin]] <= difference:
            end += 1
        if end > reached and end - begin > 1:
            found.append(order[begin:end].tolist())
        reached = max(reached, end)
    return found


def _standard_error(k: int, n: int) -> float:
    return float(np.sqrt(k * (k + 1) / (6 * n)))


# Missing scores: the complete methods, and two treatments to be shown beside them; no score is imputed.
#
# A method that fails must change nothing for the others. So all data sets count on which any method has a score, and
# the methods that have a score on each of them are compared (`complete_methods`). Leaving out compares on the data
# sets that all methods could fit; counting as worst penalizes failures.


@documented_comparison
def complete_methods(scores: Any) -> Array:
    """The methods that have a score on every row on which any method has one.

    Returns
    -------
    array of int
        Their indices.
    """
    has = ~np.isnan(checked_scores(scores, methods=1))
    return np.flatnonzero(has[has.any(axis=1)].all(axis=0))


@documented_comparison
def leave_out_missing(scores: Any) -> tuple[Array, Array]:
    """Rows on which every method has a score.

    Returns
    -------
    table : array of shape (N′, k)
        The complete rows.
    rows : array of int, shape (N′,)
        Their indices.
    """
    table = checked_scores(scores, methods=1)
    whole = ~np.isnan(table).any(axis=1)
    return table[whole], np.flatnonzero(whole)


@documented_comparison
def missing_as_worst(scores: Any) -> Array:
    """Scores in which a missing one is below every other in its row, for ranks only.

    Returns
    -------
    array of shape (N, k)
        Missing scores of a row are equal to each other.
    """
    table = checked_scores(scores, methods=1).copy()
    for row in table:
        row[np.isnan(row)] = (np.nanmin(row) if not np.isnan(row).all() else 0.0) - 1.0
    return table
