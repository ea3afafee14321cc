"""The pairwise matrix: for each pair the mean difference, wins, ties and losses, and Wilcoxon's p-value.

No cell depends on the other methods in the table, unlike average ranks and their critical differences.
Ismail-Fawaz et al. (2023), arXiv:2305.11921
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from linclass.evaluation.comparisons.control import holm_of_pairs
from linclass.evaluation.comparisons.friedman_test import (
    TIE,
    Array,
    checked_scores,
    differences,
    documented_comparison,
)
from linclass.evaluation.comparisons.t_tests import fold_moments
from linclass.evaluation.comparisons.wilcoxon_test import rank_biserial, wilcoxon


class Pairwise(NamedTuple):
    """Results for each pair [i, j] of methods, over the data sets that both have.

    Attributes
    ----------
    mean : array of shape (k,)
        Mean score of each method over its own data sets; NaN if it has none.
    difference : array of shape (k, k)
        Mean difference, scores i minus scores j.
    wins, ties, losses : array of shape (k, k)
        Numbers of data sets on which i is better, they are equal, and j is better.
    p, adjusted : array of shape (k, k)
        Wilcoxon's p-value, exact for up to 100 data sets, also with ties and zeros; with Holm's correction over the
        pairs.
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


@documented_comparison
def pairwise(scores: Any) -> Pairwise:
    """The pairwise matrix of methods across data sets."""
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


# Bradley–Terry ratings: P(i is better than j) = 1 / (1 + e^{θ_j − θ_i}), from wins on data sets.
#
#     θ = argmax Σ_{i≠j} w_ij ln P(i better than j) − ½ Σ θ_i² / prior²,      w_ij: wins of i over j, a tie counts half,
#
# with a normal prior, so that the rating of a method without losses is finite. Intervals are from a bootstrap over data
# sets: they describe other data sets of this kind. Ratings are also given on Elo's scale, 400/ln 10 per unit of θ, with
# mean 1000.   Bradley & Terry (1952), Biometrika 39

ELO, CENTRE = 400 / np.log(10), 1000.0
MAX_STEPS, STEP_TOL = 1000, 1e-9
TOGETHER = 25  # samples fitted at once; more leave the caches of a processor


class Ratings(NamedTuple):
    """Ratings of methods.

    Attributes
    ----------
    theta : array of shape (k,)
        Ratings θ, with mean 0.
    elo : array of shape (k,)
        Ratings on Elo's scale.
    lower, upper : array of shape (k,)
        Ends of the interval of `elo`.
    """

    theta: Array
    elo: Array
    lower: Array
    upper: Array


@documented_comparison
def bradley_terry(
    scores: Any, prior: float = 2.0, level: float = 0.95, draws: int = 1000, seed: int = 0
) -> Ratings:
    """Bradley–Terry ratings of methods across data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; NaN where a score is missing. Pairs are compared where
        both have a score.
    prior : float
        Standard deviation of the normal prior of θ.
    draws : int
        Number of bootstrap samples.
    """
    table = checked_scores(scores)
    n, won, has = len(table), _won(table), (~np.isnan(table)).astype(float)
    theta = _fit(won.sum(axis=0), has.T @ has, prior, np.zeros(table.shape[1]))
    rng = np.random.default_rng(seed)
    drawn = np.empty((draws, len(theta)))
    for i in range(0, draws, TOGETHER):
        rows = rng.integers(n, size=(len(drawn[i : i + TOGETHER]), n))
        times = np.array([np.bincount(some, minlength=n) for some in rows])
        drawn[i : i + TOGETHER] = _fit(times @ won, has.T * times[:, None] @ has, prior, theta)
    tail = (1 - level) / 2
    lower, upper = np.quantile(_elo(drawn), [tail, 1 - tail], axis=0)
    return Ratings(theta, _elo(theta), lower, upper)


def _won(table: Array) -> Array:
    """[s, i]: how many methods i beat on data set s; a tie counts half."""
    won = np.empty(table.shape)
    for row, scores in zip(won, table, strict=True):
        d = scores[:, None] - scores
        row[:] = (d > TIE).sum(axis=1) + (np.abs(d) <= TIE).sum(axis=1) / 2
    return won - 0.5 * ~np.isnan(table)  # less the tie with itself


def _fit(won: Array, games: Array, prior: float, theta: Array) -> Array:
    """Newton's method for  Σ_i won_i θ_i − Σ_{i<j} games_ij ln(e^θ_i + e^θ_j) − ½ |θ|²/prior².

    won (…, k) and games (…, k, k) may be those of several samples. A longer step is shortened to one that changes no
    difference θ_i − θ_j by more than 1. Such a step raises the objective, as the curvature along it changes by at most
    the factor e.
    """
    one = np.eye(won.shape[-1])
    games = games * (1 - one)
    for _ in range(MAX_STEPS):
        P = expit(theta[..., :, None] - theta[..., None, :])
        expected = games * P
        gradient = won - expected.sum(axis=-1) - theta / prior**2
        H = expected * (P - 1)
        H += one * (1 / prior**2 - H.sum(axis=-1))[..., None]
        step = np.linalg.solve(H, gradient[..., None])[..., 0]
        step /= np.maximum(1.0, np.ptp(step, axis=-1, keepdims=True))
        theta = theta + step
        if np.abs(step).max() < STEP_TOL:
            break
    return theta - theta.mean(axis=-1, keepdims=True)


def _elo(theta: Array) -> Array:
    return CENTRE + ELO * theta
