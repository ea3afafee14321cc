"""Effective degrees of freedom of a penalized fit: how many parameters it is worth.

    df = tr (H + λD)⁻¹ H   over the intercept and the weights that are not 0,

with the Hessian H of the loss and the curvature λD of the penalty, which is 0 at the intercept. For the squared loss
and L2 it is the trace of the hat matrix, for other losses that of the weighted least squares problem of the last Newton
step. With L1 alone D = 0, and df is the number of nonzero weights (the rank of their columns) and the intercept; the
group lasso bends where a group is not 0, and of the fused lasso df is the number of pieces that are not 0. For the
squared loss df is Σ ∂ŷ_i/∂y_i, whose mean is the degrees of freedom exactly, Σ cov(ŷ_i, y_i)/σ².
Zou, Hastie & Tibshirani (2007), Ann. Statist. 35; Tibshirani & Taylor (2012), Ann. Statist. 40, on the elastic net;
Vaiter et al. (2017), Ann. Inst. Stat. Math. 69, on the group lasso; Hastie & Tibshirani (1990), Generalized Additive
Models, §6.8
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array
from linclass.base.messages import require_memory
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import Unpenalized

DEPENDENT = 1e-12  # eigenvalues below it, in units of the largest, are 0


def degrees_of_freedom(objective: Objective, theta: Array) -> float:
    """At the optimum `theta` of a penalized objective."""
    penalty, strength, W = objective.penalty, objective.strength, objective.weight_part(theta)
    kept, pieces = np.ones(objective.shape, dtype=bool), penalty.pieces(W)
    if objective.kinked:
        objective.weight_part(kept)[...] = W != 0
        if not kept.any():
            return 0.0
        own = np.asarray(np.atleast_2d(kept).any(axis=0))
        features = np.flatnonzero(own[: objective.design.n_features])
        penalty = penalty.on(features) if pieces is None else penalty
        objective = objective.with_penalty(Unpenalized(), 0.0).on_features(features)
        theta, kept = theta[..., own], kept[..., own]
    which, p = kept.ravel(), kept.size
    require_memory(48 * p * p, f"effective degrees of freedom need a dense {p} × {p} Hessian")
    H = objective.with_strength(0).at(theta).hessian[np.ix_(which, which)]
    weights = objective.weight_part(np.arange(p).reshape(objective.shape))
    if pieces is not None:
        alike = np.arange(p) + W.size + 1  # intercepts move alone
        alike[weights[kept[..., : weights.shape[-1]]]] = pieces[W != 0]
        move = np.unique(alike[which]) == alike[which][:, None]
        H = move.T @ H @ move
        return trace_of_ratio(H, H)
    D = np.zeros((p, p))
    if weights.size:
        D[np.ix_(weights.ravel(), weights.ravel())] = strength * penalty.hessian(
            objective.weight_part(theta)
        )
    return trace_of_ratio(H, H + D[np.ix_(which, which)])


def trace_of_ratio(H: Array, M: Array) -> float:
    """tr M⁻¹H, over the directions in which M is not 0."""
    scale = np.sqrt(np.where(np.diag(M) > 0, np.diag(M), 1))  # the trace does not depend on units
    values, V = np.linalg.eigh(M / np.outer(scale, scale))
    V = V[:, values > DEPENDENT * values[-1]]
    values = values[values > DEPENDENT * values[-1]]
    return float((np.einsum("ij,ij->j", V, (H / np.outer(scale, scale)) @ V) / values).sum())
