"""All methods against a control: z = (R_control − R_j) / √(k(k+1)/(6n)), normal, with Holm's correction.

R are the average ranks of the k methods on n data sets.
Demšar (2006), JMLR 7, §3.2.2
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.comparisons.holm_correction import holm
from linclass.comparisons.ranking import average_ranks
from linclass.comparisons.score_table import Array, checked_scores


class AgainstControl(NamedTuple):
    """Results for each method; those of the control itself are NaN.

    Attributes
    ----------
    ranks : array of shape (k,)
        Average ranks.
    z : array of shape (k,)
        The statistic, positive if the method is better than the control.
    p : array of shape (k,)
        Two-sided p-value.
    adjusted : array of shape (k,)
        p-value with Holm's correction.
    """

    ranks: Array
    z: Array
    p: Array
    adjusted: Array


def holm_against_control(scores: Any, control: int) -> AgainstControl:
    """Test of each method against a control, across data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; no score may be missing.
    control : int
        Column of the control.

    Returns
    -------
    AgainstControl
    """
    from scipy import stats  # slow to import

    table = checked_scores(scores, complete=True)
    n, k = table.shape
    average = average_ranks(table)
    z = (average[control] - average) / np.sqrt(k * (k + 1) / (6 * n))
    z[control] = np.nan
    p = 2 * stats.norm.sf(np.abs(z))
    return AgainstControl(average, z, p, holm(p))
