"""The pairwise matrix: for each pair the mean difference, wins, ties and losses, and Wilcoxon's p-value.

No cell depends on the other methods in the table, unlike average ranks and their critical differences.
Ismail-Fawaz et al. (2023), arXiv:2305.11921
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.evaluation.comparisons.confidence_interval import fold_moments
from linclass.evaluation.comparisons.corrections import holm_of_pairs
from linclass.evaluation.comparisons.score_table import Array, checked_scores, differences
from linclass.evaluation.comparisons.wilcoxon_test import rank_biserial, wilcoxon


class Pairwise(NamedTuple):
    """Results for each pair [i, j] of methods, over the data sets that both have.

    Attributes
    ----------
    mean : array of shape (k,)
        Mean score of each method over its own data sets; NaN if it has none.
    difference : array of shape (k, k)
        Mean difference, scores i minus scores j.
    wins : array of shape (k, k)
        Number of data sets on which i is better.
    ties : array of shape (k, k)
        Number of data sets on which they are equal.
    losses : array of shape (k, k)
        Number of data sets on which j is better.
    p : array of shape (k, k)
        Wilcoxon's p-value, exact for up to 100 data sets, also with ties and zeros.
    adjusted : array of shape (k, k)
        p-value with Holm's correction over the pairs.
    n : array of shape (k, k)
        Number of data sets.
    rank_biserial : array of shape (k, k)
        Direction of Wilcoxon's test, from −1 to 1, positive if i is better; NaN without data sets.
    """

    mean: Array
    difference: Array
    wins: Array
    ties: Array
    losses: Array
    p: Array
    adjusted: Array
    n: Array
    rank_biserial: Array


def pairwise(scores: Any) -> Pairwise:
    """The pairwise matrix of methods across data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; NaN where a score is missing.

    Returns
    -------
    Pairwise
    """
    table = checked_scores(scores)
    k = table.shape[1]
    difference, direction = np.zeros((k, k)), np.zeros((k, k))
    p = np.ones((k, k))
    wins, ties, losses = (np.zeros((k, k), int) for _ in range(3))
    for i in range(k):
        ties[i, i] = np.count_nonzero(~np.isnan(table[:, i]))
        for j in range(i + 1, k):
            d = differences(table, i, j)
            difference[i, j] = d.mean() if len(d) else np.nan
            wins[i, j], losses[i, j] = np.count_nonzero(d > 0), np.count_nonzero(d < 0)
            ties[i, j] = ties[j, i] = len(d) - wins[i, j] - losses[i, j]
            wins[j, i], losses[j, i], difference[j, i] = losses[i, j], wins[i, j], -difference[i, j]
            p[i, j] = p[j, i] = wilcoxon(d)
            direction[i, j] = rank_biserial(d)
            direction[j, i] = -direction[i, j]
    mean = fold_moments(table)[0]
    n = wins + ties + losses
    return Pairwise(mean, difference, wins, ties, losses, p, holm_of_pairs(p), n, direction)
