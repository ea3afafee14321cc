"""The strength of largest evidence, with the curvature of the likelihood held fixed:  α‖W‖² = γ.

γ is the number of weights that the data determine.   MacKay (1992), Neural Computation 4
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from linclass.base.arrays import Array
from linclass.bayes.laplace_posterior import WeightsPosterior
from linclass.linear.objective.objective import Objective

WEAKEST = 1e-8  # least precision α of the prior, relative to the least variance of a feature
STRONGEST = 1e6  # largest strength α/Σw, relative to the largest variance of a feature
NOTHING = "the evidence is largest without any weights: the features tell nothing."
UNBOUNDED = "the evidence still rises at the weakest strength that is tried; set strength."
ROUNDING = 1e-14  # of the mean square of a feature: a variance below it is 0
STRIDE = 2.0  # least step of ln α until the root is bracketed
NEAR = 1e-7  # excess at which the search ends


class LargestEvidence(NamedTuple):
    """What the search has found."""

    strength: float
    reason: str  # why it is the last strength that was tried, if the evidence has no maximum
    posterior: WeightsPosterior
    n_iter: int  # Newton steps at all strengths


def largest_evidence(
    objective: Objective, total: float, posterior_of: Callable[[Objective, Array], WeightsPosterior]
) -> LargestEvidence:
    """The root of ln γ − ln α‖W‖², which falls with α from +∞; each fit starts from the one before.

    `posterior_of` gives the posterior of an objective, with its mode found from a start.
    """
    theta, n_iter = objective.zero(), 0
    latest: WeightsPosterior | None = None

    def posterior_at(strength: float) -> WeightsPosterior:
        nonlocal theta, n_iter, latest
        if latest is None or latest.objective.strength != strength:
            latest = posterior_of(objective.with_strength(strength), theta)
            theta, n_iter = latest.solution.theta, n_iter + latest.solution.n_iter
        return latest

    known: dict[float, float] = {}  # a warm start changes last digits; signs must not change

    def excess(u: float) -> float:
        if u not in known:
            found = posterior_at(float(np.exp(u))).excess
            known[u] = found if abs(found) > NEAR else 0.0
        return known[u]

    u, reason = _root(excess, objective, total)
    strength = float(np.exp(u))
    posterior = posterior_at(strength)
    return LargestEvidence(strength, reason, posterior, n_iter)


def _root(
    excess: Callable[[float], float], objective: Objective, total: float
) -> tuple[float, str]:
    """(u where the excess is 0, ""), u = ln strength; or (the last u that was tried, why there is no root)."""
    variances = _variances(objective)
    low = float(np.log(WEAKEST * variances.min() / total))
    high = float(np.log(STRONGEST * variances.max()))
    u = float(np.log(variances.mean() / total))  # α = 1 for standardized features
    u = min(max(u, low), high)
    up = excess(u) > 0
    while low < u < high:
        stride = max(STRIDE, abs(excess(u)))  # the excess is about the step of MacKay's iteration
        v = min(max(u + (stride if up else -stride), low), high)
        if (excess(v) > 0) != up:
            return brentq(excess, min(u, v), max(u, v), xtol=1e-8), ""
        u = v
    return u, NOTHING if up else UNBOUNDED


def _variances(objective: Objective) -> Array:
    """Of the features that vary; without an intercept, their mean squares."""
    design, weights = objective.design, objective.weights
    squares = design.column_norms(weights)[: design.n_features] ** 2
    mean = design.centre(weights)
    variances = squares - mean**2
    varies = variances > ROUNDING * squares
    return variances[varies] if varies.any() else np.ones(1)
