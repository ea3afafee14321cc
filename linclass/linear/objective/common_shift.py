"""A common shift of all scores, which changes nothing for losses such as softmax."""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.objective.point import PenalizedLoss


def common_shift(M: Array) -> Array:
    """trace(M)/K² for each K × K Hessian of the intercepts, singular where a shift of all scores changes nothing.

    With it added to all entries M is regular in that direction, and the same in all others.
    """
    trace: Array = np.einsum("...kk->...", M)[..., None, None]
    return trace / M.shape[-1] ** 2


def without_common_shift(objective: PenalizedLoss, theta: Array) -> Array:
    """Among all unpenalized parameters of the same model, those that sum to 0 over the scores."""
    if objective.loss.shift_invariant:
        free = theta[..., objective.design.n_features :]
        free -= free.mean(axis=0)
        if objective.unpenalized is not None:
            W = objective.weight_part(theta)
            W -= np.where(objective.unpenalized, W.mean(axis=0), 0)
    return theta
