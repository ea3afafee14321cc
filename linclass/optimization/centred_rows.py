"""Rows far from 0, with a free intercept: the same minimum is found for rows less their mean,

    w·x + b = w·(x − x̄) + u,   b = u − x̄·w,

where sums of squares keep the digits that  |x̄|²  would cost them. Dense rows are copied, sparse ones
would be filled, and stay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linclass.numerics import Array, DesignMatrix
from linclass.objective import Objective

FAR = 100  # deviations of some column from 0
LOOK = 1000  # rows that are looked at


class Centred(NamedTuple):
    objective: Objective
    mean: Array

    def start(self, theta: Array) -> Array:
        return self._with_intercept(theta, 1.0)

    def end(self, theta: Array) -> Array:
        return self._with_intercept(theta, -1.0)

    def _with_intercept(self, theta: Array, sign: float) -> Array:
        theta, d = theta.copy(), len(self.mean)
        theta[..., d] += sign * (theta[..., :d] @ self.mean)
        return theta


def centred(objective: Objective) -> Centred | None:
    """None for rows that lie near enough, or cannot be moved."""
    design = objective.design
    if not isinstance(design, DesignMatrix) or design.is_sparse or not design.intercept:
        return None
    some = design.X[:: max(1, design.n_rows // LOOK)]
    if (np.abs(some.mean(axis=0)) <= FAR * some.std(axis=0)).all():
        return None
    mean = design.X.mean(axis=0)
    P = objective
    moved = DesignMatrix(design.X - mean)
    return Centred(Objective(moved, P.loss, P.y, P.weights, P.penalty, P.strength), mean)
