"""Each method against a control, across data sets: k − 1 comparisons, with their corrections.

`test="wilcoxon"`: p of Wilcoxon's exact signed-rank test on the differences. It depends on the two methods alone, and
so does what is concluded from it, apart from the number of comparisons.

`test="ranks"`: z = (R_control − R_j) / √(k(k + 1)/(6n)), normal, with R the average ranks of k methods on n data sets.
A method that joins changes all ranks, and with them p of the others.

Demšar (2006), JMLR 7, §3.2.2 (ranks); Benavoli, Corani & Mangili (2016), JMLR 17 (why not ranks)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from linclass.evaluation.comparisons.corrections import bonferroni, finner, hochberg, holm
from linclass.evaluation.comparisons.ranking import average_ranks
from linclass.evaluation.comparisons.score_table import Array, checked_scores, differences
from linclass.evaluation.comparisons.wilcoxon_test import rank_biserial, wilcoxon

TESTS = ("wilcoxon", "ranks")


class AgainstControl(NamedTuple):
    """Two-sided p-values of each method against the control; those of the control itself are NaN.

    Attributes
    ----------
    z : array of shape (k,)
        The statistic of average ranks, positive if the method is better than the control; NaN for Wilcoxon's test.
    rank_biserial : array of shape (k,)
        The direction of Wilcoxon's test, from −1 to 1, positive if the method is better than the control; NaN for the
        test of average ranks.
    p : array of shape (k,)
        p-value without correction.
    bonferroni : array of shape (k,)
        p-value with the correction of Bonferroni and Dunn over the k − 1 comparisons.
    holm : array of shape (k,)
        With Holm's.
    hochberg : array of shape (k,)
        With Hochberg's.
    finner : array of shape (k,)
        With Finner's.
    """

    z: Array
    rank_biserial: Array
    p: Array
    bonferroni: Array
    holm: Array
    hochberg: Array
    finner: Array


def against_control(scores: Any, control: int, test: str = "wilcoxon") -> AgainstControl:
    """Tests of each method against a control, across data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better. NaN where a score is missing: Wilcoxon's test compares
        on the data sets that both have, average ranks need all scores.
    control : int
        Column of the control.
    test : {"wilcoxon", "ranks"}, default="wilcoxon"
        Where p comes from: Wilcoxon's signed-rank test, or the normal approximation of average ranks.

    Returns
    -------
    AgainstControl
    """
    if test not in TESTS:
        raise ValueError(f"test is {test!r}; it must be one of {', '.join(map(repr, TESTS))}.")
    table = checked_scores(scores, complete=test == "ranks")
    if test == "ranks":
        return against_control_of_ranks(average_ranks(table), len(table), control)
    k = table.shape[1]
    each = [differences(table, j, control) for j in range(k)]
    p, direction = np.array([(wilcoxon(d), rank_biserial(d)) for d in each]).T
    p[control] = direction[control] = np.nan
    return _corrected(np.full(k, np.nan), direction, p)


def against_control_of_ranks(average: Any, n: int, control: int) -> AgainstControl:
    """Tests of each method against a control from published average ranks.

    Parameters
    ----------
    average : array of shape (k,)
        Average ranks of the methods, 1 for the best.
    n : int
        Number of data sets.
    control : int
        Place of the control among the methods.

    Returns
    -------
    AgainstControl
    """
    average = np.asarray(average, float)
    k = len(average)
    z = (average[control] - average) / np.sqrt(k * (k + 1) / (6 * n))
    z[control] = np.nan
    return _corrected(z, np.full(k, np.nan), 2 * ndtr(-np.abs(z)))


def _corrected(z: Array, direction: Array, p: Array) -> AgainstControl:
    return AgainstControl(z, direction, p, bonferroni(p), holm(p), hochberg(p), finner(p))
