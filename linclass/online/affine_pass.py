"""A pass of least mean squares over rows in one order, as one affine map of θ,

    θ ← A θ + b,   Σ r e² = vᵀ Q v,  v = (θ, 1),

the columns of A being the pass from unit vectors with targets 0, and b the pass from 0. To compute it costs as much as
some d/10 passes over n rows, and from then on a pass costs O(d²).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linclass.base.arrays import Array
from linclass.online.least_mean_squares import LeastMeanSquares


class AffinePass:
    def __init__(self, blocks: Iterable[LeastMeanSquares], shape: tuple[int, int]):
        width, K = shape
        theta = np.hstack([np.eye(width), np.zeros(shape)])
        self.form = np.zeros((width + K, width + K))
        for rows in blocks:
            errors = rows.visit(
                theta, np.hstack([np.zeros((len(rows.targets), width)), rows.targets])
            )
            self.form += errors.T @ (rows.squares[:, None] * errors)
        self.matrix, self.constant = theta[:, :width], theta[:, width:]

    def apply(self, theta: Array) -> tuple[Array, Array]:
        """θ after the pass, and the squared errors met in it for each of the K classes."""
        v = np.vstack([theta, np.eye(theta.shape[1])])
        squared_errors = np.maximum((v * (self.form @ v)).sum(axis=0), 0)
        return self.matrix @ theta + self.constant, squared_errors
