"""The interface of kernels: the matrix of k(x, x′) between rows, computed in place and block by block.

Most kernels define `block` alone, which turns a block of inner products into kernel values. For a matrix among the
same rows half of the blocks are mirrored.   Schölkopf & Smola (2002), Learning with Kernels
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix, squares_of_rows
from linclass.base.messages import require_memory

BLOCK = 128  # rows at a time, so that a block stays in the cache
# of gamma in units of 'scale', the widest kernel first: a path of it
WIDTHS = 4.0 ** np.arange(-2, 2)


class Kernel:
    """Subclasses define `block`; their parameters are those of `__init__`."""

    parameters: ClassVar[tuple[str, ...]] = ()  # parameters of the estimator that it uses
    is_psd: ClassVar[bool] = True  # whether k is an inner product for all rows

    def block(self, P: Array, a: Array, b: Array) -> None:
        """Turn inner products P (m, n) of rows with squared norms a and b into kernel values, in place."""
        raise NotImplementedError

    def matrix(self, X: Matrix, Y: Any = None) -> Array:
        """k between every row of X and every row of Y (or of X): dense."""
        n, m = X.shape[0], (X if Y is None else Y).shape[0]
        require_memory(8 * n * m, f"a kernel needs a dense {n} × {m} matrix")
        K = np.empty((n, m))
        a = squares_of_rows(X)
        b = a if Y is None else squares_of_rows(Y)
        other = X if Y is None else Y
        if sparse.issparse(X) and not sparse.issparse(other):
            # so that sparse products need no copy of its transpose
            other = np.asfortranarray(other)
        for start in range(0, n, BLOCK):
            rows = slice(start, start + BLOCK)
            first = start if Y is None else 0
            P = self.between(X[rows], other[first:], a[rows], b[first:])
            K[rows, first:] = P
            if Y is None:  # exactly symmetric, in spite of rounding
                square = P[:, : P.shape[0]]
                K[rows, rows] = (square + square.T) / 2
                K[first + P.shape[0] :, rows] = P[:, P.shape[0] :].T
        return K

    def near_zero(self, X: Matrix) -> Any:
        """Rows with the same kernel values among themselves and less cancellation; or X."""
        return X

    def features(self, X: Matrix) -> Matrix | None:
        """Rows φ(x) with k(x, x′) = φ(x)·φ(x′), up to a constant that a free intercept takes; None if they are many."""
        return None

    def about(self, centre: Array) -> Kernel:
        """The kernel of φ(x) − φ(centre), where it can be computed with less cancellation; or this one."""
        return self

    def between(self, X: Matrix, Y: Any, a: Array, b: Array) -> Array:
        """k between the rows of X and of Y, whose squared norms are a and b, without dividing them into blocks."""
        products = X @ Y.T
        P = products.toarray() if sparse.issparse(products) else products
        self.block(P, a, b)
        return P

    def diagonal(self, X: Matrix) -> Array:
        """k(x, x) of every row."""
        a = squares_of_rows(X)
        P = a[:, None].copy()
        self.block(P, a, a[:, None])
        return P[:, 0]


# a name, or a function of two matrices of rows
KernelLike = str | Callable[[Matrix, Matrix], Matrix]
