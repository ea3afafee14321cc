"""Each method against a control, across data sets: k − 1 comparisons, with their corrections.

`test="wilcoxon"`: p of Wilcoxon's exact signed-rank test on the differences. It depends on the two methods alone, and
so does what is concluded from it, apart from the number of comparisons.

`test="ranks"`: z = (R_control − R_j) / √(k(k + 1)/(6n)), normal, with R the average ranks of k methods on n data sets.
A method that joins changes all ranks, and with them p of the others.

Demšar (2006), JMLR 7, §3.2.2 (ranks); Benavoli, Corani & Mangili (2016), JMLR 17 (why not ranks)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from linclass.evaluation.comparisons.friedman_test import (
    Array,
    average_ranks,
    checked_scores,
    differences,
    documented_comparison,
)
from linclass.evaluation.comparisons.wilcoxon_test import rank_biserial, wilcoxon

TESTS = ("wilcoxon", "ranks")


class AgainstControl(NamedTuple):
    """Two-sided p-values of each method against the control; those of the control itself are NaN.

    Attributes
    ----------
    z : array of shape (k,)
        The statistic of average ranks, positive if the method is better than the control; NaN for Wilcoxon's test.
    rank_biserial : array of shape (k,)
        The direction of Wilcoxon's test, from −1 to 1, positive if the method is better than the control; NaN for the
        test of average ranks.
    p : array of shape (k,)
        p-value without correction.
    bonferroni, holm, hochberg, finner : array of shape (k,)
        p-value with each correction over the k − 1 comparisons; the first is that of Bonferroni and Dunn.
    """

    z: Array
    rank_biserial: Array
    p: Array
    bonferroni: Array
    holm: Array
    hochberg: Array
    finner: Array


@documented_comparison
def against_control(scores: Any, control: int, test: str = "wilcoxon") -> AgainstControl:
    """Tests of each method against a control, across data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better. NaN where a score is missing: Wilcoxon's test compares
        on the data sets that both have, average ranks need all scores.
    test : {"wilcoxon", "ranks"}
        Where p comes from: Wilcoxon's signed-rank test, or the normal approximation of average ranks.
    """
    if test not in TESTS:
        raise ValueError(f"test is {test!r}; it must be one of {', '.join(map(repr, TESTS))}.")
    table = checked_scores(scores, complete=test == "ranks")
    if test == "ranks":
        return against_control_of_ranks(average_ranks(table), len(table), control)
    k = table.shape[1]
    each = [differences(table, j, control) for j in range(k)]
    p, direction = np.array([(wilcoxon(d), rank_biserial(d)) for d in each]).T
    p[control] = direction[control] = np.nan
    return _corrected(np.full(k, np.nan), direction, p)


@documented_comparison
def against_control_of_ranks(average: Any, n: int, control: int) -> AgainstControl:
    """Tests of each method against a control from published average ranks."""
    average = np.asarray(average, float)
    k = len(average)
    z = (average[control] - average) / np.sqrt(k * (k + 1) / (6 * n))
    z[control] = np.nan
    return _corrected(z, np.full(k, np.nan), 2 * ndtr(-np.abs(z)))


def _corrected(z: Array, direction: Array, p: Array) -> AgainstControl:
    return AgainstControl(z, direction, p, bonferroni(p), holm(p), hochberg(p), finner(p))


# Corrections for several tests: adjusted p-values, of which those below α are significant.
#
# Of m tests with the ordered p-values p₍₁₎ ≤ … ≤ p₍ₘ₎, the adjusted values are, and at most 1,
#
#     Bonferroni   m p₍ᵢ₎
#     Holm         max_{j ≤ i} (m − j + 1) p₍ⱼ₎
#     Hochberg     min_{j ≥ i} (m − j + 1) p₍ⱼ₎
#     Finner       max_{j ≤ i} 1 − (1 − p₍ⱼ₎)^{m/j}
#
# All four bound the probability of any false positive by α: Bonferroni's and Holm's whatever the dependence of the
# tests, Hochberg's and Finner's if it is positive, as for several methods against one control. Holm's values are at
# most Bonferroni's, and Hochberg's and Finner's at most Holm's.
# Holm (1979), Scand. J. Statistics 6; Hochberg (1988), Biometrika 75; Finner (1993), JASA 88;
# García, Fernández, Luengo & Herrera (2010), Information Sciences 180, §3


@documented_comparison
def bonferroni(p: Any) -> Array:
    """Adjusted p-values of several tests by Bonferroni's correction."""
    return _adjusted(p, lambda ordered, place: len(ordered) * ordered)


@documented_comparison
def holm(p: Any) -> Array:
    """Adjusted p-values of several tests by Holm's correction.

    Parameters
    ----------
    p : array
        p-values; NaN stands for a test that was not made. For a symmetric matrix use `holm_of_pairs`.
    """
    return _adjusted(
        p, lambda ordered, place: np.maximum.accumulate((len(ordered) - place + 1) * ordered)
    )


@documented_comparison
def hochberg(p: Any) -> Array:
    """Adjusted p-values of several tests by Hochberg's correction."""

    def steps(ordered: Array, place: Array) -> Array:
        factors = len(ordered) - place + 1
        return np.minimum.accumulate((factors * ordered)[::-1])[::-1]

    return _adjusted(p, steps)


@documented_comparison
def finner(p: Any) -> Array:
    """Adjusted p-values of several tests by Finner's correction."""

    def steps(ordered: Array, place: Array) -> Array:
        with np.errstate(divide="ignore"):  # p = 1
            powers = -np.expm1(len(ordered) / place * np.log1p(-ordered))
        return np.maximum.accumulate(powers)

    return _adjusted(p, steps)


def _adjusted(p: Any, steps: Callable[[Array, Array], Array]) -> Array:
    """The adjusted values that `steps` gives of the ordered p-values and their places 1, …, m."""
    p = np.asarray(p, float)
    adjusted = np.full(p.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    values = p.ravel()[tested]
    if len(wrong := values[(values < 0) | (values > 1)]):
        raise ValueError(f"p holds {wrong[0]:g}; give probabilities, from 0 to 1.")
    order = np.argsort(values, kind="stable")
    found = steps(values[order], np.arange(1, len(values) + 1))
    adjusted.ravel()[tested[order]] = np.minimum(found, 1)
    return adjusted


@documented_comparison
def holm_of_pairs(p: Any) -> Array:
    """Adjusted p-values of the k(k − 1)/2 pairs of methods by Holm's correction.

    Parameters
    ----------
    p : array of shape (k, k)
        p-values, symmetric; the diagonal is ignored.

    Returns
    -------
    array of shape (k, k)
        With ones on the diagonal.
    """
    p = np.asarray(p, float)
    upper = np.triu_indices(len(p), 1)
    adjusted = np.ones_like(p)
    adjusted[upper] = holm(p[upper])
    adjusted.T[upper] = adjusted[upper]
    return adjusted


@documented_comparison
def least_adjusted_p(n: int, m: int) -> float:
    """The least p of Wilcoxon's exact test on n data sets that Bonferroni's and Holm's corrections over m tests leave.

    If one of two methods is better on all n data sets, p = 2/2ⁿ, which the corrections multiply by m where it is the
    least of the m values. Hochberg's multiplies it by less if others are equal to it.

    Parameters
    ----------
    m : int
        Number of tests: k − 1 of k methods against a control, k(k − 1)/2 of all pairs.
    """
    return min(1.0, m * 2.0 ** (1 - n))


@documented_comparison
def data_sets_needed(m: int, alpha: float = 0.05) -> int:
    """Number of data sets from which m of Wilcoxon's tests can be significant after Bonferroni's or Holm's correction.

    Parameters
    ----------
    m : int
        Number of tests, at least 1.
    alpha : float
        Significance level.
    """
    return next(n for n in range(1, 1100) if least_adjusted_p(n, m) < alpha)
