"""Newton's first step from 0, lengthened to the fit that normal features would have.

At scores of 0 all rows have the same curvature, so the step is −ℓ′(0)/ℓ″(0) times the least squares fit to y = ±1. For
normal features the direction of its weights is right, and only their length and the intercept are not: they belong to
curvatures at 0, and those of larger scores are smaller. The better the fit, the longer the weights should be, and
`normal_fit` of the loss says by how much. Whatever the features, a line search accepts or shortens it.
Brillinger (1983), A generalized linear model with "Gaussian" regressor variables
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import EPS, Array
from linclass.linear.losses.base import Loss

# of the variance of y that is explained, a difference of means of squares
UNEXPLAINED = 64 * EPS


def lengthened(
    loss: Loss, y: Array, weights: Array, gradient: Array, step: Array, intercept: bool
) -> Array:
    """Newton's step (…, p) from 0, for one problem or for many with row weights (…, n); unchanged if the
    loss has no formula, or if the longer step does not descend.
    """
    jet = loss.jet_at_zero(np.ones(1))
    if jet is None or jet[2] is None:
        return step
    slope, curvature = -jet[1][0], jet[2][0]
    mean = weights @ y if intercept else np.zeros(weights.shape[:-1])
    together = -(gradient * step).sum(axis=-1) * curvature / slope**2  # Σ w y ŷ of least squares
    explained = together - mean * mean
    two = (
        np.abs(mean) < 1
    )  # not so if a class has less of the weight than rounding; y has no variance then
    explained = np.where(two & (explained > UNEXPLAINED), explained, 0.0)
    found = loss.normal_fit(np.where(two, mean, 0.0), explained)
    if found is None:
        return step
    k, level = found
    longer: Array = k[..., None] * step
    if intercept:
        longer[..., -1] = level - k * (slope / curvature * mean - step[..., -1])
    with np.errstate(invalid="ignore"):
        descends = (gradient * longer).sum(axis=-1) < 0
    descends &= two & np.isfinite(longer).all(axis=-1)
    return np.where(descends[..., None], longer, step)
