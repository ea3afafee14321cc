"""Rows about another origin:  x − c.  Sparse rows stay sparse, and only columns in which c is not 0 are filled in."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.base.annotations import Matrix
from linclass.base.design.squares import squares_of_columns
from linclass.base.numerics.arrays import Array

FAR = 10.0  # |x̄_j| in standard deviations


def centre(X: Matrix, weights: Array, fill: bool) -> tuple[Array, Array]:
    """(means of the columns, variances); unless `fill`, 0 for a mean near 0, whose column may have zeros to fill in."""
    total = weights.sum()
    mean = np.asarray(weights @ X) / total
    variances = squares_of_columns(X, weights) / total - mean * mean
    if not fill:
        mean[mean * mean <= FAR**2 * variances] = 0
    return mean, variances


def shifted(X: Matrix, c: Array) -> Matrix:
    if not sparse.issparse(X):
        return X - c
    n, columns = X.shape[0], np.flatnonzero(c)
    ends = len(columns) * np.arange(n + 1)
    return X - sparse.csr_array((np.tile(c[columns], n), np.tile(columns, n), ends), shape=X.shape)
