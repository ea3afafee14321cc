"""Rows about another origin:  x − c.  Sparse rows stay sparse, and only columns in which c is not 0 are filled in."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.annotations import Matrix
from linclass.numerics import Array


def shifted(X: Matrix, c: Array) -> Matrix:
    if not sparse.issparse(X):
        return X - c
    n, columns = X.shape[0], np.flatnonzero(c)
    ends = len(columns) * np.arange(n + 1)
    return X - sparse.csr_array((np.tile(c[columns], n), np.tile(columns, n), ends), shape=X.shape)
