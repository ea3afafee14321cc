"""Missing scores: the complete methods, and two treatments to be shown beside them; no score is imputed.

A method that fails must change nothing for the others. So all data sets count on which any method has a score, and the
methods that have a score on each of them are compared (`complete_methods`). Leaving out compares on the data sets that
all methods could fit; counting as worst penalizes failures.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.evaluation.comparisons.score_table import Array, checked_scores


def complete_methods(scores: Any) -> Array:
    """The methods that have a score on every row on which any method has one.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; NaN where a score is missing.

    Returns
    -------
    array of int
        Their indices.
    """
    has = ~np.isnan(checked_scores(scores, methods=1))
    return np.flatnonzero(has[has.any(axis=1)].all(axis=0))


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
