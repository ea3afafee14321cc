"""Sensitivity of the conclusion to single data sets: the best average rank without each of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.evaluation.comparisons.ranking import ranks
from linclass.evaluation.comparisons.score_table import Array, checked_scores


class LeaveOneOut(NamedTuple):
    """The method with the best average rank; None for a tie.

    Attributes
    ----------
    winner : int or None
        With all data sets.
    without : list of int or None
        Without each of them.
    """

    winner: int | None
    without: list[int | None]


def leave_one_out_winners(scores: Any) -> LeaveOneOut:
    """The method with the best average rank, with all data sets and without each of them.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; no score may be missing.

    Returns
    -------
    LeaveOneOut
        `winner`, and `without` each data set.
    """
    r = ranks(checked_scores(scores, complete=True))
    total = r.sum(axis=0)
    return LeaveOneOut(_first(total), [_first(total - row) for row in r] if len(r) > 1 else [])


def _first(total: Array) -> int | None:
    best = np.flatnonzero(total <= total.min() + 1e-9)
    return int(best[0]) if len(best) == 1 else None
