"""The Bayesian correlated t test on one data set: the probability that one method is better by more than the rope.

The posterior of the mean difference, under a flat prior, is Student's t with n − 1 degrees of freedom about d̄, with
the scale of the corrected t test. `rope`, the region of practical equivalence, is the largest difference that makes no
difference in practice.
Corani & Benavoli (2015), Machine Learning 100; Benavoli, Corani, Demšar & Zaffalon (2017), JMLR 18
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.evaluation.comparisons.confidence_interval import corrected_error
from linclass.evaluation.comparisons.corrected_t_test import corrected_t
from linclass.evaluation.comparisons.score_table import TIE, Array


class Posterior(NamedTuple):
    """Posterior probabilities for each pair of methods [i, j].

    Attributes
    ----------
    better : array of shape (k, k)
        i is better than j by more than the rope.
    equal : array of shape (k, k)
        They are practically equal.
    worse : array of shape (k, k)
        j is better than i by more than the rope.
    """

    better: Array
    equal: Array
    worse: Array


def bayesian_t(scores: Any, ratio: float, rope: float = 0.0, step: float = 0.0) -> Posterior:
    """The Bayesian correlated t test for each pair of methods on one data set.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N folds, greater is better; NaN where a score is missing.
    ratio : float
        n_test/n_train, the ratio of test to training rows of a fold.
    rope : float, default=0.0
        Largest difference of scores that makes no difference in practice.
    step : float, default=0.0
        Least difference of two scores of a fold, such as 1/n_test for an accuracy. A difference that is the same on
        every fold is known to half a step; with 0 it is certain.

    Returns
    -------
    Posterior
    """
    from scipy.special import stdtr  # slow to import

    found = corrected_t(scores, ratio)
    same = found.error == 0  # the same difference on every fold
    error = np.where(same, corrected_error(0.0, np.maximum(found.n, 1), ratio, step), found.error)
    ties = same & (np.abs(found.difference) <= TIE)
    certain = (error == 0) | np.eye(len(error), dtype=bool) | (ties & (rope == 0))
    df = np.maximum(found.n - 1, 1)
    scale = np.where(certain, 1.0, error)
    better = stdtr(df, (found.difference - rope) / scale)
    worse = stdtr(df, (-rope - found.difference) / scale)
    better = np.where(certain, found.difference > rope + TIE, better)
    worse = np.where(certain, found.difference < -rope - TIE, worse)
    return Posterior(better, np.clip(1 - better - worse, 0, 1), worse)
