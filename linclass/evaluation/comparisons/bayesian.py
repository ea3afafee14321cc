"""The Bayesian correlated t test on one data set: the probability that one method is better by more than the rope.

The posterior of the mean difference, under a flat prior, is Student's t with n − 1 degrees of freedom about d̄, with
the scale of the corrected t test. `rope`, the region of practical equivalence, is the largest difference that makes no
difference in practice.
Corani & Benavoli (2015), Machine Learning 100; Benavoli, Corani, Demšar & Zaffalon (2017), JMLR 18
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.base.parameters import require_nonnegative
from linclass.evaluation.comparisons.friedman_test import (
    TIE,
    Array,
    checked_scores,
    differences,
    documented_comparison,
)
from linclass.evaluation.comparisons.t_tests import corrected_error, of_pairs


class Posterior(NamedTuple):
    """Posterior probabilities for each pair of methods [i, j].

    Attributes
    ----------
    better, equal, worse : array of shape (k, k)
        i is better than j by more than the rope; they are practically equal; j is better than i by more than the rope.
    """

    better: Array
    equal: Array
    worse: Array


@documented_comparison
def bayesian_t(
    scores: Any, ratio: float, rope: float = 0.0, step: float = 0.0, rows: Any = None
) -> Posterior:
    """The Bayesian correlated t test for each pair of methods on one data set.

    Parameters
    ----------
    rows : list of int, optional
        The methods i of the pairs; all by default.
    """
    from scipy.special import stdtr  # slow to import

    require_nonnegative("rope", rope)
    table = checked_scores(scores)
    k = table.shape[1]
    controls = np.arange(k) if rows is None else np.asarray(rows)
    mean, spread, _, _, n = of_pairs(table, controls, ratio, 0.0)
    same = spread == 0  # the same difference on every fold
    error = np.where(same, corrected_error(0.0, np.maximum(n, 1), ratio, step), spread)
    ties = same & (np.abs(mean) <= TIE)
    certain = (error == 0) | (controls[:, None] == np.arange(k)) | (ties & (rope == 0))
    df = np.maximum(n - 1, 1)
    scale = np.where(certain, 1.0, error)
    better = stdtr(df, (mean - rope) / scale)
    worse = stdtr(df, (-rope - mean) / scale)
    better = np.where(certain, mean > rope + TIE, better)
    worse = np.where(certain, mean < -rope - TIE, worse)
    return Posterior(better, np.clip(1 - better - worse, 0, 1), worse)


# The Bayesian signed-rank test across data sets, a Dirichlet process on the differences with a prior row at 0:
#
#     P(better) = Σ_st w_s w_t [d_s + d_t > 2 rope],   w ~ Dirichlet(prior, 1, …, 1),
#
# and likewise equal, [|d_s + d_t| ≤ 2 rope], and worse. The result is how often, over draws of w, each is the largest
# of the three. Ties are equal also with rope = 0. (Without a rope, Benavoli et al. (2014) give half of a tie to each
# side, by which one win and 49 ties are certain to be better: P = ½ + w − w²/2 > ½ for its weight w.)
# Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014), ICML; Benavoli et al. (2017), JMLR 18

BATCH = 5000  # draws at a time


@documented_comparison
def bayesian_signed_rank(
    scores: Any, rope: float = 0.0, prior: float = 0.5, draws: int = 50_000, seed: int = 0
) -> Posterior:
    """The Bayesian signed-rank test for each pair of methods, over the data sets that both have; NaN without any.

    Parameters
    ----------
    prior : float
        Weight of the prior row, in data sets.
    draws : int
        Number of draws of w.
    """
    require_nonnegative("rope", rope)
    require_nonnegative("prior", prior)
    table = checked_scores(scores)
    k = table.shape[1]
    better, equal, worse = np.zeros((k, k)), np.eye(k), np.zeros((k, k))
    # number of data sets → pairs with so many, which share the draws
    pairs: dict[int, list[tuple[int, int, Array]]] = {}
    for i in range(k):
        for j in range(i + 1, k):
            d = differences(table, i, j)
            pairs.setdefault(len(d), []).append((i, j, np.concatenate([[0.0], d])))
    limit = 2 * rope + TIE / 2  # sums are multiples of TIE: rounding crosses no limit
    for i, j, _ in pairs.pop(0, []):  # NaN: the prior alone would make them equal for certain
        for part in (better, equal, worse):
            part[i, j] = part[j, i] = np.nan
    for n, some in pairs.items():
        rng, alpha = np.random.default_rng(seed), np.ones(n + 1)
        alpha[0] = prior
        wins = np.zeros((len(some), 3))
        for begin in range(0, draws, BATCH):
            w = rng.dirichlet(alpha, min(BATCH, draws - begin)).T.copy()
            for own, (_, _, d) in zip(wins, some, strict=True):
                own += _largest(w, d, limit)
        for (i, j, _), own in zip(some, (wins / draws).tolist(), strict=True):
            better[i, j], equal[i, j], worse[i, j] = own  # of counts, so none is below 0
            better[j, i], equal[j, i], worse[j, i] = own[::-1]
    return Posterior(better, equal, worse)


def _largest(w: Array, d: Array, limit: float) -> tuple[int, int, int]:
    """How often P(better), P(equal) and P(worse) are the largest, over weights w (rows, draws)."""
    high, low = _weight_below(w, -d, limit), _weight_below(w, d, limit)
    middle = 1 - high - low
    better = int(np.count_nonzero(high >= np.maximum(middle, low)))
    worse = int(np.count_nonzero(low > np.maximum(middle, high)))
    return better, w.shape[1] - better - worse, worse


def _weight_below(w: Array, d: Array, limit: float) -> Array:
    """Σ_st w_s w_t [d_s + d_t < −limit] of each draw, by cumulative weights of the sorted differences.

    A pair has an s in S = {2 d_s < −limit}, and all pairs within S belong to the sum. So it is
    2 Σ_{s ∈ S} w_s W_s − W_S², where W_s is the weight of the rows t with d_s + d_t < −limit, and W_S that of S.
    """
    order = np.argsort(d)
    counts = np.searchsorted(d[order], -limit - d[order])  # of such rows t, descending
    low = np.count_nonzero(counts > np.arange(len(d)))  # rows of S
    weights = np.zeros((counts[0] + 1, w.shape[1]))  # of the first rows
    for k, row in enumerate(order[: counts[0]]):
        np.add(weights[k], w[row], out=weights[k + 1])
    total = weights[low] ** 2 / -2
    for row, count in zip(order[:low], counts, strict=False):
        total += w[row] * weights[count]
    return 2 * total
