"""Bradley–Terry ratings: P(i is better than j) = 1 / (1 + e^{θ_j − θ_i}), from wins on data sets.

    θ = argmax Σ_{i≠j} w_ij ln P(i better than j) − ½ Σ θ_i² / prior²,      w_ij: wins of i over j, a tie counts half,

with a normal prior, so that the rating of a method without losses is finite. Intervals are from a bootstrap over data
sets: they describe other data sets of this kind. Ratings are also given on Elo's scale, 400/ln 10 per unit of θ, with
mean 1000.   Bradley & Terry (1952), Biometrika 39
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from linclass.comparisons.score_table import TIE, Array, checked

ELO, CENTRE = 400 / np.log(10), 1000.0
STEPS, ENOUGH = 100, 1e-9


class Ratings(NamedTuple):
    """Ratings of methods.

    Attributes
    ----------
    theta : array of shape (k,)
        Ratings θ, with mean 0.
    elo : array of shape (k,)
        Ratings on Elo's scale.
    lower : array of shape (k,)
        Lower end of the interval of `elo`.
    upper : array of shape (k,)
        Upper end of the interval of `elo`.
    """

    theta: Array
    elo: Array
    lower: Array
    upper: Array


def bradley_terry(
    scores: Any,
    prior: float = 2.0,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    tie: float = TIE,
) -> Ratings:
    """Bradley–Terry ratings of methods across data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        Scores of k methods on N data sets, greater is better; NaN where a score is missing. Pairs are compared where
        both have a score.
    prior : float, default=2.0
        Standard deviation of the normal prior of θ.
    level : float, default=0.95
        Probability of the intervals.
    draws : int, default=1000
        Number of bootstrap samples.
    seed : int, default=0
        Seed of the random draws.
    tie : float, default=1e-09
        Scores that differ by no more are equal.

    Returns
    -------
    Ratings
    """
    table = checked(scores)
    met = _meetings(table, tie)
    theta = _fit(met.sum(axis=0), prior, np.zeros(table.shape[1]))
    rng = np.random.default_rng(seed)
    n = len(table)
    drawn = np.array(
        [
            _fit(np.einsum("s,sij->ij", np.bincount(rng.integers(n, size=n), minlength=n), met), prior, theta)
            for _ in range(draws)
        ]
    )  # fmt: skip
    tail = (1 - level) / 2
    lower, upper = np.quantile(_elo(drawn), [tail, 1 - tail], axis=0)
    return Ratings(theta, _elo(theta), lower, upper)


def _meetings(table: Array, tie: float) -> Array:
    """[s, i, j]: 1 if i beat j on data set s, ½ for a tie, 0 for a loss or if one has no score."""
    d = table[:, :, None] - table[:, None, :]
    met = np.where(np.abs(d) <= tie, 0.5, (d > tie).astype(float))
    met[np.isnan(d)] = 0
    met[:, np.arange(table.shape[1]), np.arange(table.shape[1])] = 0
    return met


def _fit(wins: Array, prior: float, theta: Array) -> Array:
    """Newton's method. The objective is strictly concave with bounded Hessian, so step halving is rare."""
    games = wins + wins.T
    value = _value(wins, prior, theta)
    for _ in range(STEPS):
        P = expit(theta[:, None] - theta)
        gradient = (wins - games * P).sum(axis=1) - theta / prior**2
        curvature = games * P * (1 - P)
        H = np.diag(curvature.sum(axis=1) + 1 / prior**2) - curvature
        step = np.linalg.solve(H, gradient)
        t = 1.0
        while (new := _value(wins, prior, theta + t * step)) < value - 1e-12 * abs(value):
            t /= 2
        theta, value = theta + t * step, new
        if np.abs(step).max() < ENOUGH:
            break
    return theta - theta.mean()


def _value(wins: Array, prior: float, theta: Array) -> float:
    apart = theta[:, None] - theta
    return float(-(wins * np.logaddexp(0, -apart)).sum() - (theta**2).sum() / (2 * prior**2))


def _elo(theta: Array) -> Array:
    return CENTRE + ELO * theta
