"""A start for losses with kinks:  argmin (1/Σw) Σ w_i ½(z_i − y_i)²/scale + strength·½‖W‖².

Where the strength is so large that all scores are near 0, the slopes −y_i are those of the hinge loss; where it is
small, most scores end near a kink. One system of equations replaces the first steps from 0, which are short.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from linclass.numerics import Array
from linclass.objective.objective import Objective

WIDE = 1000  # features up to which a dense matrix of them is formed


def least_squares_start(objective: Objective) -> Array | None:
    """None for several scores, a kernel or many features, or if the equations are singular but for rounding."""
    design, d = objective.design, objective.design.n_features
    if len(objective.shape) > 1 or design.is_kernel or design.width > WIDE:
        return None
    level = objective.weights / objective.loss.scale(objective.y)
    H = design.gram(level)
    np.einsum("ii->i", H)[:d] += objective.strength
    _, theta, info = lapack.dposv(H, design.pull(level * objective.y), lower=1)
    return None if info else theta
