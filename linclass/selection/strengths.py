"""Strengths to choose from, in equal ratios, from one that leaves next to nothing of the weights.

L1, elastic net    from λ_max, the least strength at which all weights are 0, to λ_max/1000
L2                 from the trace of the covariance of X times sup ℓ″, which bounds the curvature of the loss in every
                   direction, so that, for the squared loss, the weights along every principal axis are at most half
                   of those without a penalty, to 10⁻⁶ of it

With one score ℓ′ is a constant plus a function of y for the logistic and the squared loss, so the gradient of the loss
at W = 0 and the best intercept is that of centred columns at 0, and λ_max is its dual norm, the largest entry over the
kink. For other losses that is near λ_max. With offsets the best intercept is found first.
Friedman, Hastie & Tibshirani (2010), J. Statistical Software 33(1), §2.5
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linclass.numerics.arrays import ROUNDED_COSINE
from linclass.objective.objective import Objective
from linclass.solvers.intercept_alone import start_of_weights

ROUNDING = 1e-10
L1_RANGE, L2_RANGE = 1e-3, 1e-6


def from_data(objectives: Sequence[Objective], count: int) -> list[float]:
    """`count` strengths, from the strongest, that suit every one of the objectives."""
    first = objectives[0]
    top = max(map(_largest, objectives)) or 1.0
    weakest = top * (L1_RANGE if first.chosen_penalty.kinked else L2_RANGE)
    return [float(strength) for strength in np.geomspace(top, weakest, count)]


def _largest(objective: Objective) -> float:
    design, weights, penalty = objective.design, objective.weights, objective.chosen_penalty
    mean = design.XT @ weights if design.intercept else np.zeros(design.n_features)
    if not penalty.kinked:
        lengths = design.column_norms(weights)[: design.n_features]
        spread = lengths**2 - mean**2
        spread = np.where(spread > ROUNDING * lengths**2, spread, 0)
        steepness = objective.loss.smoothness if np.isfinite(objective.loss.smoothness) else 1.0
        curvature = np.broadcast_to(penalty.curvature, spread.shape)
        bent = curvature > 0
        return float((spread[bent] / curvature[bent]).sum() * steepness)
    point = objective.at(objective.zero())
    if objective.without_offset is not objective:
        point = start_of_weights(objective, objective.zero())
    g = point.loss_gradient
    G = objective.weight_part(g)
    if design.intercept:
        G = G - g[..., -1:] * mean
    most = (
        design.column_norms(weights)[: design.n_features] * (point.slopes**2 @ weights).sum() ** 0.5
    )
    G = np.where(np.abs(G) > ROUNDED_COSINE * most, G, 0)
    return penalty.dual_norm(G) * (1 + ROUNDING)
