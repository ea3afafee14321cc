"""Ranks of the methods on each data set, 1 for the best; equal scores share the mean of their ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.evaluation.comparisons.score_table import TIE, Array, checked_scores


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
