"""Rows far from the origin, with an unpenalized intercept, are centred, which does not change the minimum:

    w·x + b = w·(x − x̄) + u,   b = u − x̄·w.

Uncentred sums of squares lose the digits of  |x̄|².  Dense rows are copied; sparse ones would be filled
in, and are not centred.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linclass.design.design_matrix import DesignMatrix
from linclass.design.far_columns import FAR, ROUNDING
from linclass.numerics import Array
from linclass.objective.objective import Objective

LOOK = 1000  # rows by which it is decided whether all are far from 0


def about_mean(X: Array, weights: Array) -> tuple[Array, Array]:
    """(X − x̄, x̄) of dense rows; columns that are constant but for rounding become 0."""
    mean = np.average(X, axis=0, weights=weights)
    C = X - mean
    C[:, np.linalg.norm(C, axis=0) <= ROUNDING * np.linalg.norm(X, axis=0)] = 0
    return C, mean


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
    """None for rows that are near the origin, or that cannot be centred."""
    design = objective.design
    if design.is_kernel or design.is_sparse or not design.intercept or design.is_centred:
        return None
    some = design.X[:: max(1, design.n_rows // LOOK)]
    if (np.abs(some.mean(axis=0)) <= FAR * some.std(axis=0)).all():
        return None
    mean = design.X.mean(axis=0)
    P = objective
    moved = DesignMatrix(design.X - mean)
    moved.is_centred = True  # constant columns are not 0 then, but for rounding
    return Centred(Objective(moved, P.loss, P.y, P.weights, P.chosen_penalty, P.strength), mean)
