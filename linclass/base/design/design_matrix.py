"""[X 1] as a linear map: the products that a fit computes with X, for dense and sparse rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.annotations import Index, Matrix
from linclass.base.design.gram_products import GramProducts
from linclass.base.design.row_hashes import hashes
from linclass.base.design.squares import squares_of_columns, squares_of_rows
from linclass.base.numerics.arrays import BLOCK, Array, chosen_rows, once

SMALL = 500_000  # entries up to which sparse rows are made dense
ROUNDING = 1e-12  # of the mean of a column: a spread below it is rounding
SHORT = 30  # entries of a sparse column up to which columns are not worth a copy for one score
CACHED = 250_000  # numbers that stay in the cache of a processor
TINY = 20_000  # entries up to which a call of NumPy costs more than the copy [X 1] of dense rows


class DesignMatrix(GramProducts):
    """[X 1] as a linear map, with the constant feature only if there is an intercept.

    theta is (d + 1,) for one score, or (K, d + 1) for K; scores are (n,) or (K, n).
    """

    def __init__(self, X: Matrix, intercept: bool = True):
        self.X = X
        self.intercept = bool(intercept)
        self.n_rows, self.n_features = X.shape
        self.width = self.n_features + self.intercept
        self.is_sparse = sparse.issparse(X)
        self.is_centred = False  # about the mean of the rows
        self.passes = 0.0  # number of passes over all rows, the cost unit of solvers
        self._XT: Any = None
        self.is_tiny = not self.is_sparse and X.size <= TINY

    def scores(self, theta: Array) -> Array:
        """Z = X W + b."""
        if self.is_tiny:
            return theta @ self.rows.T
        if not theta.any():  # a start
            return np.zeros((*theta.shape[:-1], self.n_rows))
        d = self.n_features
        if theta.ndim == 1:
            z = self.X @ theta[:d]
            if self.intercept:
                z += theta[d]
            return z
        W = theta[:, :d]
        Z = (self.X @ np.ascontiguousarray(W.T)).T if self.is_sparse else W @ self.X.T
        if self.intercept:
            Z += theta[:, d:]
        return Z

    def pull(self, R: Array) -> Array:
        """[X 1]ᵀ R, from rows back to parameters: the adjoint of `scores`."""
        self.passes += 1
        d = self.n_features
        out = np.empty((*R.shape[:-1], self.width))
        if R.ndim == 1:
            out[:d] = self._transposed(1) @ R
        elif self.is_sparse:
            out[:, :d] = (self._transposed(len(R)) @ np.ascontiguousarray(R.T)).T
        else:
            out[:, :d] = R @ self.X
        if self.intercept:  # pairwise, as a gap needs every digit of this sum
            out[..., d] = np.add.reduce(R, axis=-1)
        return out

    def blocks(self, size: int = BLOCK, filled: bool = True) -> Iterator[tuple[slice, Array]]:
        """Dense [X 1], block by block, in one buffer that the caller may overwrite."""
        d = self.n_features
        buffer = np.empty((min(size, self.n_rows), self.width))
        for start in range(0, self.n_rows, size):
            rows = slice(start, min(start + size, self.n_rows))
            B = buffer[: rows.stop - start]
            if filled:
                B[:, :d] = self.X[rows].toarray() if self.is_sparse else self.X[rows]
                B[:, d:] = 1
            yield rows, B

    @once
    def rows(self) -> Array:
        """[X 1] itself, kept where it is tiny."""
        return self.dense()

    def dense(self) -> Array:
        """[X 1] itself."""
        X = self.X.toarray() if self.is_sparse else self.X
        return np.column_stack([X, np.ones(self.n_rows)]) if self.intercept else X

    def row(self, i: int) -> tuple[Any, Array]:
        """(columns, values) of row i of [X 1]; all columns if dense."""
        one = np.ones(int(self.intercept))
        if not self.is_sparse:
            return slice(None), np.concatenate([self.X[i], one])
        own = slice(self.X.indptr[i], self.X.indptr[i + 1])
        constant = np.full(int(self.intercept), self.n_features)
        columns = np.concatenate([self.X.indices[own], constant])
        return columns, np.concatenate([self.X.data[own], one])

    def scores_of(self, rows: slice, theta: Array) -> Array:
        """`scores` of a few rows, without copying them to a matrix."""
        d, X = self.n_features, self.X
        W = theta[..., :d]
        if self.is_sparse:
            first, last = X.indptr[rows.start], X.indptr[rows.stop]
            products = np.zeros((*theta.shape[:-1], last - first + 1))
            np.multiply(W[..., X.indices[first:last]], X.data[first:last], out=products[..., :-1])
            starts = X.indptr[rows.start : rows.stop + 1] - first
            Z = np.add.reduceat(products, starts[:-1], axis=-1)
            Z[..., starts[:-1] == starts[1:]] = 0  # rows without an entry
        else:
            Z = X[rows] @ W if theta.ndim == 1 else W @ X[rows].T
        if self.intercept:
            Z += theta[..., d:]
        return Z

    def pull_of(self, rows: slice, R: Array) -> Array:
        """`pull` of a few rows."""
        d, X = self.n_features, self.X
        out = np.empty((*R.shape[:-1], self.width))
        if self.is_sparse:
            own = slice(X.indptr[rows.start], X.indptr[rows.stop])
            counts = np.diff(X.indptr[rows.start : rows.stop + 1])
            products = np.repeat(R, counts, axis=-1) * X.data[own]
            for to, of in zip(np.atleast_2d(out), np.atleast_2d(products), strict=True):
                to[:d] = np.bincount(X.indices[own], of, minlength=d)
        else:
            out[..., :d] = R @ X[rows]
        if self.intercept:
            out[..., d] = R.sum(axis=-1)
        return out

    def row_keys(self, rng: np.random.Generator) -> Array:
        return hashes(self.X, rng)

    def gram_of(self, rows: slice) -> Array:
        B = self.X[rows]
        if self.is_sparse and B.shape[0] * B.shape[1] <= TINY:
            B = B.toarray()
        G = B @ B.T
        return np.asarray((G.toarray() if sparse.issparse(G) else G) + self.intercept)

    def with_constant_feature(self) -> DesignMatrix:
        """The same map, with the intercept as the weight of a feature."""
        one = np.ones((self.n_rows, 1))
        X = self.X
        both = (
            sparse.hstack([X, sparse.csr_array(one)], "csr")
            if self.is_sparse
            else np.hstack([X, one])
        )
        return DesignMatrix(both, intercept=False)

    def take(self, rows: Index) -> DesignMatrix:
        return DesignMatrix(chosen_rows(self.X, rows), self.intercept)

    def combine(self, rows: Array, v: Array) -> Array:
        """Σ v_i x_i over some rows, as a theta without intercept."""
        out = np.zeros(self.width)
        out[: self.n_features] = chosen_rows(self.X, rows).T @ v
        return out

    def inner(self, g: Array, step: Array, along: Array) -> float:
        """⟨g, step⟩; `along` are the scores of the step."""
        return float(np.vdot(g, step))

    def restricted(self, rows: Array) -> DesignMatrix:
        """The same for some rows; a few sparse rows become dense, which saves overhead."""
        if len(rows) == self.n_rows:
            return self
        few = self.take(rows)
        if self.is_sparse and len(rows) * self.n_features <= SMALL:
            few = DesignMatrix(few.X.toarray(), self.intercept)
        return few

    def take_features(self, features: Array) -> DesignMatrix:
        """Some columns; for sparse rows through Xᵀ, where they are contiguous."""
        if not self.is_sparse:
            return DesignMatrix(self.X[:, features], self.intercept)
        XT = self.XT[features]
        taken = DesignMatrix(XT.T.tocsr(), self.intercept)
        taken._XT = XT
        return taken

    def columns(self, features: Array, mean: Array, roots: Array) -> Array:
        """√w_i (x_ij − x̄_j) of some features j, dense."""
        X = self.take_features(features).X if self.is_sparse else self.X[:, features]
        return ((X.toarray() if self.is_sparse else X) - mean[features]) * roots[:, None]

    def standardized_columns(self, weights: Array) -> tuple[Array, Array, Any]:
        """(x̄, spread, the columns (x_j − x̄_j)/spread_j as sparse rows), 0 where they are constant but for rounding.

        Sparse rows are not centred, nor are rows without an intercept.
        """
        mean = np.zeros(self.n_features) if self.is_sparse else self.centre(weights)
        columns = sparse.csr_array(self.XT if self.is_sparse else (self.X - mean).T)
        spread = np.sqrt(columns.power(2) @ weights)
        varies = spread > ROUNDING * np.abs(mean)
        spread[~varies] = 1
        return mean, spread, sparse.csr_array(sparse.diags_array(varies / spread) @ columns)

    def centre(self, weights: Array) -> Array:
        """x̄ = Σ w_i x_i for weights that sum to 1; 0 without an intercept."""
        return self._transposed(1) @ weights if self.intercept else np.zeros(self.n_features)

    def column_norms(self, weights: Array) -> Array:
        """√(Σ w_i x_ij²) of every column."""
        norms = squares_of_columns(self.X, weights)
        if self.intercept:
            norms = np.append(norms, weights.sum())
        return np.sqrt(norms)

    def squared_row_norms(self) -> Array:
        """Squared norm of every row of [X 1]."""
        return squares_of_rows(self.X) + self.intercept

    @cached_property
    def single(self) -> Array:
        """[X 1] itself, dense and in single precision."""
        return self.dense().astype(np.float32)

    def forget_transpose(self) -> None:
        """Free the memory of Xᵀ, which is computed again when needed."""
        self._XT = None

    def _transposed(self, n_scores: int) -> Matrix:
        """Xᵀ, for a product with `n_scores` columns; for sparse X that of least time.

        X itself, transposed, adds each row to sums of all columns, and needs no copy. The copy `XT` makes one sum at a
        time: for one score that is faster if the sums are long; for more, only where sums of all do not stay cached.
        """
        if not self.is_sparse:
            return self.X.T
        n, d = self.X.shape
        by_rows = self.X.nnz <= SHORT * d if n_scores == 1 else d <= max(5 * n, CACHED / n_scores)
        return self._flipped if by_rows else self.XT

    @cached_property
    def _flipped(self) -> Matrix:
        """Xᵀ as a view of sparse X, kept because SciPy takes as long to make one as for a product with few entries."""
        return self.X.T

    @property
    def XT(self) -> Matrix:
        """Xᵀ; for sparse X as a matrix of its own, so that products read contiguous memory."""
        if self._XT is None:
            self._XT = self.X.T.tocsr() if self.is_sparse else self.X.T
        return self._XT
