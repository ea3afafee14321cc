"""Friedman's test: are the ranks of k methods on n data sets more unequal than by chance?

    χ² = (k − 1) Σ_j (R_j − n(k+1)/2)² / (Σ_ij r_ij² − n k (k+1)²/4),      R_j = Σ_i r_ij,

which corrects for ties; without ties it is the usual 12/(n k (k+1)) Σ R_j² − 3n(k+1). Iman and Davenport's

    F = (n − 1) χ² / (n(k − 1) − χ²)    with k − 1 and (k − 1)(n − 1) degrees of freedom

is less conservative.        Friedman (1937); Iman & Davenport (1980); Demšar (2006), JMLR 7, §3.2.2
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc, fdtrc

from linclass.evaluation.comparisons.ranking import ranks
from linclass.evaluation.comparisons.score_table import Array, checked_scores


class Friedman(NamedTuple):
    """Result of Friedman's test.

    Attributes
    ----------
    ranks : array of shape (k,)
        Average ranks.
    n : int
        Number of data sets.
    statistic : float
        χ², corrected for ties.
    p : float
        p-value of χ².
    f : float
        Iman and Davenport's F.
    f_p : float
        p-value of F.
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


def friedman(scores: Any) -> Friedman:
    """Friedman's test of at least three methods on at least two data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; no score may be missing.

    Returns
    -------
    Friedman
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


def friedman_of_ranks(average: Any, n: int) -> Friedman:
    """Friedman's test from published average ranks, without ties.

    Parameters
    ----------
    average : array of shape (k,)
        Average ranks of the methods.
    n : int
        Number of data sets.

    Returns
    -------
    Friedman
    """
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
