"""Rows far from the origin, with an unpenalized intercept, are centred, which does not change the minimum:

    w·x + b = w·(x − x̄) + u,   b = u − x̄·w.

Uncentred sums of squares lose the digits of  |x̄|².  Dense rows are copied; of sparse ones, which would be filled in,
only columns far from 0 may be centred.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, shifted, squares_of_columns
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.objective.far_columns import ROUNDING, is_far
from linclass.linear.objective.objective import Objective

LOOK = 1000  # rows by which it is decided whether all are far from 0


def about_mean(X: Array, weights: Array) -> tuple[Array, Array]:
    """(X − x̄, x̄) of dense rows; columns that are constant but for rounding become 0."""
    mean = np.average(X, axis=0, weights=weights)
    C = X - mean
    C[:, np.linalg.norm(C, axis=0) <= ROUNDING * np.linalg.norm(X, axis=0)] = 0
    return C, mean


def far_about_mean(X: sparse.csr_array, weights: Array) -> tuple[sparse.csr_array, Array]:
    """(X − x̄, x̄) of sparse rows, with x̄ = 0 but for columns far from 0, which have few zeros to fill in.

    The weights sum to 1.
    """
    mean, norms = np.asarray(weights @ X), np.sqrt(squares_of_columns(X, weights))
    return about_far_means(X, weights, mean, norms)


def about_far_means(
    X: sparse.csr_array, weights: Array, mean: Array, norms: Array
) -> tuple[sparse.csr_array, Array]:
    """The same, if the means and the norms of the columns are known."""
    far = np.flatnonzero(is_far(mean, norms * norms))
    mean = np.where(np.isin(np.arange(X.shape[1]), far), mean, 0.0)
    if not len(far):
        return X, mean
    C = shifted(X, mean)
    constant = np.sqrt(squares_of_columns(C, weights)) <= ROUNDING * norms
    C.data[constant[C.indices]] = 0
    C.eliminate_zeros()
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
    P, design = objective, objective.design
    if design.is_kernel or not design.intercept or design.is_centred:
        return None
    if design.is_sparse:
        norms = P.column_norms[: design.n_features]
        X, mean = about_far_means(design.X, P.weights, P.column_means, norms)
        if not mean.any():
            return None
    else:
        some = design.X[:: max(1, design.n_rows // LOOK)]
        mean, squares = some.mean(axis=0), np.einsum("ij,ij->j", some, some) / len(some)
        if not is_far(mean, squares).any():
            return None
        mean = design.X.mean(axis=0)
        X = design.X - mean
    moved = DesignMatrix(X)
    moved.is_centred = True  # constant columns are not 0 then, but for rounding
    return Centred(Objective(moved, P.loss, P.y, P.weights, P.chosen_penalty, P.strength), mean)
