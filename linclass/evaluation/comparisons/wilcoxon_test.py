"""Wilcoxon's signed-rank test of paired scores, with Pratt's ranks: zero differences are ranked and have no sign.

Given the ranks r of |d|, the signs of the nonzero d are fair coins under the hypothesis, so the sum T of the ranks of
d > 0 has the generating function Π (1 + x^r)/2 over d ≠ 0, and p = 2 min(P(T ≤ t), P(T ≥ t)). Ties and zeros change
the ranks and nothing else. Twice a mean rank is a whole number, so the product is a convolution.
Wilcoxon (1945), Biometrics Bulletin 1; Pratt (1959), JASA 54
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from linclass.evaluation.comparisons.friedman_test import Array, documented_comparison

MAX_EXACT = 100  # differences, up to which p is exact


@documented_comparison
def wilcoxon(differences: Any) -> float:
    """Two-sided p-value of Wilcoxon's signed-rank test, exact for up to 100 differences, also with ties and zeros.

    With more differences it is that of the normal approximation, with its correction for ties.

    Returns
    -------
    float
        1 if all differences are 0, NaN if there are none.
    """
    d = _present(differences)
    if not len(d):
        return np.nan
    if not d.any():
        return 1.0
    if len(d) > MAX_EXACT:
        from scipy import stats  # slow to import

        return float(stats.wilcoxon(d, zero_method="pratt", method="asymptotic").pvalue)
    ranks = doubled_ranks(np.abs(d))
    above, below = int(ranks[d > 0].sum()), int(ranks[d < 0].sum())
    counts = _tail(tuple(np.sort(ranks[d != 0]).tolist()))
    return min(1.0, 2 * float(counts[min(above, below)]))


@documented_comparison
def rank_biserial(differences: Any) -> float:
    """The direction of Wilcoxon's test, which can be other than that of the mean difference.

    It is the sum of the ranks of positive differences less that of negative ones, divided by the sum of all ranks
    (Kerby, 2014, Comprehensive Psychology 3). Zero differences have ranks, too.

    Returns
    -------
    float
        From −1 to 1; NaN if there are no differences.
    """
    d = _present(differences)
    n = len(d)
    return float(np.sign(d) @ doubled_ranks(np.abs(d))) / (n * (n + 1)) if n else np.nan


def _present(differences: Any) -> Array:
    d = np.asarray(differences, float)
    if d.ndim != 1:
        raise ValueError(f"differences have shape {d.shape}; give those of one pair of methods.")
    return d[~np.isnan(d)]


def doubled_ranks(values: Array) -> Array:
    """Twice the mean ranks, which are whole numbers, the least value first."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (2 * np.cumsum(counts) - counts + 1)[place]


@lru_cache(maxsize=64)  # pairs of methods without ties have the same ranks
def _tail(ranks: tuple[int, ...]) -> Array:
    """P(T ≤ t) of t = 0, 1, … up to half of the sum, T the sum of the `ranks` whose coin falls on heads."""
    chance = np.zeros(sum(ranks) // 2 + 1)
    chance[0] = 1
    for rank in ranks:
        chance[rank:] += chance[: max(len(chance) - rank, 0)]
        chance *= 0.5  # a fair coin
    return np.cumsum(chance)
