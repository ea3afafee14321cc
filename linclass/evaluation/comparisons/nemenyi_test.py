"""Nemenyi's test of all pairs after Friedman's: two methods differ if their average ranks are farther apart than

CD = q_α √(k(k+1) / (6n)),    q_α the studentized range for k groups and infinitely many degrees of freedom, over √2.

Of two methods this is the sign test's normal approximation, by which 7 wins of 8 would be significant, with p = .0703.
So two methods are compared by the sign test itself: the wins of one are Binomial(n, ½).
                                                                Nemenyi (1963); Demšar (2006), JMLR 7, §3.2.2
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtrc, ndtr

from linclass.base.parameters import require_whole
from linclass.evaluation.comparisons.ranking import average_ranks
from linclass.evaluation.comparisons.score_table import TIE, Array, checked_scores

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


def nemenyi(scores: Any, alpha: float = 0.05) -> Nemenyi:
    """Nemenyi's test of all pairs of methods across data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; no score may be missing.
    alpha : float, default=0.05
        Significance level of the critical difference.

    Returns
    -------
    Nemenyi
    """
    table = checked_scores(scores, complete=True)
    n, k = table.shape
    average = average_ranks(table)
    apart = np.abs(average[:, None] - average) / _standard_error(k, n)
    p = range_tail(apart * np.sqrt(2), k) if k > 2 else _of_signs(average, n)
    np.fill_diagonal(p, 1.0)
    difference = critical_difference(k, n, alpha)
    return Nemenyi(average, n, difference, p, indistinguishable(average, difference))


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Smallest significant difference of average ranks.

    Parameters
    ----------
    k : int
        Number of methods, at least 2.
    n : int
        Number of data sets, at least 1.
    alpha : float, default=0.05
        Significance level, between 0 and 1.

    Returns
    -------
    float
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


def _of_signs(average: Array, n: int) -> Array:
    """The sign test's p-values of two methods; a tie is half a win."""
    wins = np.ceil(n * (1 + np.abs(average[:, None] - average)) / 2 - TIE)
    return _two_sided(wins, n)


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
