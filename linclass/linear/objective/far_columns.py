"""Columns far from 0, which hardly differ from the intercept's:  |x̄_j| > 100 standard deviations.

Their deviations x_j − x̄_j have the digits that x_j itself loses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.base.arrays import Array

FAR = 100  # standard deviations from 0
ROUNDING = 1e-12  # of the norm of a column: a deviation from its mean below it is rounding


class FarColumns(NamedTuple):
    """Their numbers, means, and  √(Σ w_i (x_ij − x̄_j)²),  0 for columns that are constant but for rounding."""

    columns: Array
    mean: Array
    deviations: Array


def is_far(mean: Array, squares: Array) -> Array:
    """Mask of the columns that are far from 0, whose Σ w_i x_ij² are the squares, for weights that sum to 1."""
    return mean * mean * (1 + FAR**-2) > squares  # x̄² + variance


def far_columns(design: Any, weights: Array, norms: Array) -> FarColumns | None:
    """Those of dense rows with an intercept; `norms` are √(Σ w_i x_ij²), for weights that sum to 1."""
    if design.is_kernel or design.is_sparse or not design.intercept or design.is_centred:
        return None
    mean, norms = design.centre(weights), norms[: design.n_features]
    far = np.flatnonzero(is_far(mean, norms * norms))
    if not len(far):
        return None
    mean, norms = mean[far], norms[far]
    deviations = np.sqrt(weights @ np.square(design.X[:, far] - mean))
    return FarColumns(far, mean, np.where(deviations > ROUNDING * norms, deviations, 0.0))
