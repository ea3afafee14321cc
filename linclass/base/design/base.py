"""The interface of a design, the linear map from theta to the scores of the rows, as objectives and solvers use it.

theta is (width,) for one score or (K, width) for K; scores are (n,) or (K, n). `DesignMatrix` is [X 1]; `KernelDesign`
has the matrix of a kernel in its place.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.annotations import Index
from linclass.base.numerics.arrays import Array


class Design:
    is_kernel: ClassVar[bool] = False  # theta are the coordinates of a function, one for each row
    is_sparse: bool = False
    intercept: bool
    n_rows: int
    n_features: int
    width: int  # of theta: n_features, and 1 more with an intercept
    passes: float  # number of passes over all rows, the cost unit of solvers

    def scores(self, theta: Array) -> Array:
        """Z = X W + b."""
        raise NotImplementedError

    def pull(self, R: Array) -> Array:
        """[X 1]ᵀ R, from rows back to parameters: the adjoint of `scores`."""
        raise NotImplementedError

    def scores_of(self, rows: slice, theta: Array) -> Array:
        """`scores` of a few rows, without copying them to a matrix."""
        raise NotImplementedError

    def pull_of(self, rows: slice, R: Array) -> Array:
        """`pull` of a few rows."""
        raise NotImplementedError

    def row(self, i: int) -> tuple[Any, Array]:
        """(columns, values) of row i; all columns if dense."""
        raise NotImplementedError

    def row_keys(self, rng: np.random.Generator) -> Array:
        """A random hash of each row, the same for equal rows."""
        raise NotImplementedError

    def gram_of(self, rows: slice) -> Array:
        """[x_i 1]·[x_j 1] between a few rows."""
        raise NotImplementedError

    def take(self, rows: Index) -> Self:
        """Some rows, or all in another order."""
        raise NotImplementedError

    def restricted(self, rows: Array) -> Self:
        """Some rows, and, where every row has a parameter of its own, theirs alone."""
        raise NotImplementedError

    def restrict_theta(self, rows: Array, theta: Array) -> Array:
        """The parameters of theta that `restricted` has; all, if they belong to features."""
        return theta

    def extend_theta(self, rows: Array, theta: Array) -> Array:
        """theta of `restricted` as parameters of the whole."""
        return theta

    def combine(self, rows: Array, v: Array) -> Array:
        """Σ v_i x_i over some rows, as a theta without intercept."""
        raise NotImplementedError

    def inner(self, g: Array, step: Array, along: Array) -> float:
        """⟨g, step⟩; `along` are the scores of the step."""
        raise NotImplementedError

    def products_among(self, rows: Array) -> Array:
        """x_i·x_j between some rows."""
        raise NotImplementedError

    def products_of_all_rows(self) -> Array:
        """x_i·x_j between all rows."""
        raise NotImplementedError
