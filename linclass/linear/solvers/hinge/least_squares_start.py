"""A start for losses with kinks:  argmin (1/Σw) Σ w_i ½‖z_i − t_i‖²/scale + strength·½‖W‖².

The targets t are y, or 2(e_y − 1/K) for K scores. Where the strength is so large that all scores are near 0, the slopes
−t are about those of the loss; where it is small, most scores end near a kink. One system of equations replaces the
first steps from 0, which are short. Offsets are subtracted from the targets.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array, diagonal
from linclass.linear.objective.objective import Objective

WIDE = 1000  # features up to which a dense matrix of them is formed


def least_squares_start(objective: Objective) -> Array | None:
    """None for a kernel or many features, or if the equations are singular but for rounding."""
    design, d = objective.design, objective.design.n_features
    if design.is_kernel or design.width > WIDE:
        return None
    y, offset = objective.loss.parted(objective.y)
    targets = y
    if len(objective.shape) > 1:
        K = objective.shape[0]
        targets = np.full((K, len(y)), -2 / K)
        targets[y, np.arange(len(y))] += 2
    if offset is not None:
        targets = targets - offset
    level = objective.weights / objective.loss.scale(objective.y)
    H = design.gram(level)
    diagonal(H)[:d] += objective.strength
    _, theta, info = lapack.dposv(H, design.pull(level * targets).T, lower=1)
    return None if info else np.ascontiguousarray(theta.T)
