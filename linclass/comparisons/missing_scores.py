"""Missing scores: the complete field, and two treatments to be shown beside it; no score is imputed.

A method that fails must change nothing for the others. So methods are compared on the data sets that count, and only
those with a score on each of them (`complete_field`). Leaving out compares on the data sets that all methods could fit;
counting as worst penalizes failures.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.comparisons.score_table import Array, checked_scores


class CompleteField(NamedTuple):
    """Data sets that count, and methods with a score on each of them.

    Attributes
    ----------
    rows : array of int
        Indices of the rows (data sets) that count.
    methods : array of int
        Indices of the methods with a score on each of these rows.
    covering : array of int
        Indices of the methods with a score on at least `share` of all rows, which decide which rows count.
    """

    rows: Array
    methods: Array
    covering: Array


def complete_field(scores: Any, share: float = 0.5) -> CompleteField:
    """The methods that have a score on every row that counts, and these rows.

    Methods with scores on less than `share` of the rows decide nothing. A row counts if at least `share` of the others
    have a score there, so a row on which most methods fail does not empty the field. A method that lacks a score on a
    row that counts is not in the field, and changes it only if a row is at the threshold.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; NaN where a score is missing.
    share : float, default=0.5
        Least share of rows of a method that decides, and of these methods for a row that counts.

    Returns
    -------
    CompleteField
    """
    has = ~np.isnan(checked_scores(scores, methods=1))
    covering = np.flatnonzero(has.sum(axis=0) >= share * len(has))
    rows = np.flatnonzero(has[:, covering].sum(axis=1) >= share * len(covering))
    return CompleteField(rows, np.flatnonzero(has[rows].all(axis=0)), covering)


def leave_out_missing(scores: Any) -> tuple[Array, Array]:
    """Rows on which every method has a score.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets or folds, greater is better; NaN where a score is missing.

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


def missing_as_worst(scores: Any) -> Array:
    """Scores in which a missing one is below every other in its row, for ranks only.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets or folds, greater is better; NaN where a score is missing.

    Returns
    -------
    array of shape (N, k)
        Missing scores of a row are equal to each other.
    """
    table = checked_scores(scores, methods=1).copy()
    for row in table:
        row[np.isnan(row)] = (np.nanmin(row) if not np.isnan(row).all() else 0.0) - 1.0
    return table
