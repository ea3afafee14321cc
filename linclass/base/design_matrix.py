"""[X 1] as a linear map: the products that a fit computes with X, for dense and sparse rows.

theta is (width,) for one score or (K, width) for K; scores are (n,) or (K, n). `Design` is the interface that
objectives and solvers use; `KernelDesign` (linclass/kernels) has the matrix of a kernel in place of [X 1].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from linclass.base.arrays import (
    BLOCK,
    Array,
    Index,
    Matrix,
    as_dense,
    chosen_rows,
    hashes,
    once,
    products_of_rows,
    squares_of_columns,
    squares_of_rows,
)

MAX_DENSE_ENTRIES = 500_000  # entries up to which sparse rows are made dense
SPREAD_TOLERANCE = 1e-12  # relative to the mean of a column: a spread below it is rounding
TINY = 20_000  # entries up to which a call of NumPy costs more than the copy [X 1] of dense rows
SINGLE_BLOCK = 500_000  # entries at a time of products in single precision
FULL = 0.1  # share of entries of sparse rows, above which one factor of a Gram matrix is dense


class Design:
    is_kernel: ClassVar[bool] = False  # theta are the coordinates of a function, one for each row
    is_sparse: bool = False
    intercept: bool
    n_rows: int
    n_features: int
    width: int  # of theta: n_features, and 1 more with an intercept
    passes: float  # number of passes over all rows, the cost unit of solvers

    scores: Callable[[Array], Array]  # Z = X W + b of theta
    pull: Callable[[Array], Array]  # [X 1]ᵀ R, from rows to parameters: the adjoint of `scores`
    scores_of: Callable[[slice, Array], Array]  # `scores` of a few rows, without a copy of them
    pull_of: Callable[[slice, Array], Array]  # `pull` of a few rows
    row: Callable[[int], tuple[Any, Array]]  # (columns, values) of row i; all columns if dense
    row_keys: Callable[[np.random.Generator], Array]  # a random hash of each row, by its content
    gram_of: Callable[[slice], Array]  # [x_i 1]·[x_j 1] between a few rows
    take: Callable[[Index], Any]  # some rows, or all in another order
    restricted: Callable[[Array], Any]  # some rows, and only their parameters if each row has one
    combine: Callable[[Array, Array], Array]  # (rows, v) ↦ Σ v_i x_i, as a theta without intercept
    # (rows, theta of some rows of a kernel) ↦ theta of all rows
    extend_theta: Callable[[Array, Array], Array]
    inner: Callable[[Array, Array, Array], float]  # (g, step, its scores) ↦ ⟨g, step⟩
    products_among: Callable[[Array], Array]  # x_i·x_j between some rows
    products_of_all_rows: Callable[[], Array]  # x_i·x_j between all rows


class DesignMatrix(Design):
    """[X 1] as a linear map, with the constant feature only if there is an intercept."""

    def __init__(self, X: Matrix, intercept: bool = True):
        self.X = X
        self.intercept = bool(intercept)
        self.n_rows, self.n_features = X.shape
        self.width = self.n_features + self.intercept
        self.is_sparse = sparse.issparse(X)
        self.is_centred = False  # about the mean of the rows
        self.passes = 0.0
        self._XT: Any = None
        self.is_tiny = not self.is_sparse and X.size <= TINY

    def scores(self, theta: Array) -> Array:
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
        self.passes += 1
        d = self.n_features
        out = np.empty((*R.shape[:-1], self.width))
        if R.ndim == 1:
            out[:d] = (self._flipped if self.is_sparse else self.X.T) @ R
        elif self.is_sparse:
            out[:, :d] = (self._flipped @ np.ascontiguousarray(R.T)).T
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
                B[:, :d] = as_dense(self.X[rows])
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
        one = np.ones(int(self.intercept))
        if not self.is_sparse:
            return slice(None), np.concatenate([self.X[i], one])
        stored = slice(self.X.indptr[i], self.X.indptr[i + 1])
        constant = np.full(int(self.intercept), self.n_features)
        columns = np.concatenate([self.X.indices[stored], constant])
        return columns, np.concatenate([self.X.data[stored], one])

    def scores_of(self, rows: slice, theta: Array) -> Array:
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
        d, X = self.n_features, self.X
        out = np.empty((*R.shape[:-1], self.width))
        if self.is_sparse:
            stored = slice(X.indptr[rows.start], X.indptr[rows.stop])
            counts = np.diff(X.indptr[rows.start : rows.stop + 1])
            products = np.repeat(R, counts, axis=-1) * X.data[stored]
            for to, of in zip(np.atleast_2d(out), np.atleast_2d(products), strict=True):
                to[:d] = np.bincount(X.indices[stored], of, minlength=d)
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
        """The design matrix with the intercept as the weight of a feature."""
        one = np.ones((self.n_rows, 1))
        X = self.X
        both = (
            sparse.hstack([X, sparse.csr_array(one)], "csr")
            if self.is_sparse
            else np.hstack([X, one])
        )
        return DesignMatrix(both, intercept=False)

    def without_intercept(self) -> DesignMatrix:
        """The design matrix without an intercept."""
        return DesignMatrix(self.X, intercept=False)

    def take(self, rows: Index) -> DesignMatrix:
        return DesignMatrix(chosen_rows(self.X, rows), self.intercept)

    def combine(self, rows: Array, v: Array) -> Array:
        out = np.zeros(self.width)
        out[: self.n_features] = chosen_rows(self.X, rows).T @ v
        return out

    def inner(self, g: Array, step: Array, along: Array) -> float:
        return float(np.vdot(g, step))

    def restricted(self, rows: Array) -> DesignMatrix:
        """The design matrix of some rows; a few sparse rows become dense, which saves overhead."""
        if len(rows) == self.n_rows:
            return self
        few = self.take(rows)
        if self.is_sparse and len(rows) * self.n_features <= MAX_DENSE_ENTRIES:
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
        return (as_dense(X) - mean[features]) * roots[:, None]

    def standardized_columns(self, weights: Array) -> tuple[Array, Array, Any]:
        """(x̄, spread, the columns (x_j − x̄_j)/spread_j as sparse rows), 0 where they are constant but for rounding.

        Sparse rows are not centred, nor are rows without an intercept.
        """
        mean = np.zeros(self.n_features) if self.is_sparse else self.centre(weights)
        columns = sparse.csr_array(self.XT if self.is_sparse else (self.X - mean).T)
        spread = np.sqrt(columns.power(2) @ weights)
        varies = spread > SPREAD_TOLERANCE * np.abs(mean)
        spread[~varies] = 1
        return mean, spread, sparse.csr_array(sparse.diags_array(varies / spread) @ columns)

    def centre(self, weights: Array) -> Array:
        """x̄ = Σ w_i x_i for weights that sum to 1; 0 without an intercept."""
        if not self.intercept:
            return np.zeros(self.n_features)
        return (self._flipped if self.is_sparse else self.X.T) @ weights

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

    @cached_property
    def _flipped(self) -> Matrix:
        """Xᵀ as a view of sparse X, whose products take no longer than those of the copy `XT`. It is kept because SciPy
        takes as long to make one as for a product with few entries.
        """
        return self.X.T

    @property
    def XT(self) -> Matrix:
        """Xᵀ; for sparse X as a matrix of its own, so that products read contiguous memory."""
        if self._XT is None:
            self._XT = self.X.T.tocsr() if self.is_sparse else self.X.T
        return self._XT

    def gram(self, D: Array) -> Array:
        """[X 1]ᵀ diag(D) [X 1], dense, for D ≥ 0; of sparse rows by a product of sparse matrices."""
        self.passes += 1
        d, X = self.n_features, self.X
        if not self.is_sparse:  # a product of a matrix with its transpose (syrk): half the work
            alike = (D[0] == D).all()
            if self.is_tiny and alike:
                return D[0] * (self.rows.T @ self.rows)
            if alike:
                return D[0] * self._unweighted_gram()
            root = np.sqrt(D)[:, None]
            if self.is_tiny:
                B = self.rows * root
            else:
                B = np.empty((self.n_rows, self.width))
                np.multiply(X, root, out=B[:, :d])
                B[:, d:] = root
            return B.T @ B
        scaled = X.copy()
        scaled.data *= np.repeat(D, np.diff(X.indptr))
        H = np.empty((self.width, self.width))
        H[:d, :d] = (self.XT @ scaled).toarray()
        if self.intercept:
            H[d, :d] = H[:d, d] = self.XT @ D
            H[d, d] = D.sum()
        return H

    def _unweighted_gram(self) -> Array:
        """[X 1]ᵀ[X 1] of dense rows, without a copy of them."""
        d, X = self.n_features, self.X
        G = np.empty((self.width, self.width))
        np.matmul(X.T, X, out=G[:d, :d])
        if self.intercept:
            G[d, :d] = G[:d, d] = np.ones(self.n_rows) @ X
            G[d, d] = self.n_rows
        return G

    def gram_in_single(self, D: Array, mean: Array) -> Array:
        """`gram` of X − mean, with products in single precision, at half the cost, by dense blocks.

        For sparse rows it pays if few columns are taken, the frequent ones.
        """
        self.passes += 1
        d, root = self.n_features, np.sqrt(D)
        H = np.zeros((self.width, self.width))
        size = max(BLOCK, SINGLE_BLOCK // self.width)
        room = np.empty((min(size, self.n_rows), self.width), np.float32)
        for start in range(0, self.n_rows, size):
            rows = slice(start, min(start + size, self.n_rows))
            B = room[: rows.stop - start]
            X = self.X[rows].toarray() if self.is_sparse else self.X[rows]
            np.subtract(X, mean, out=B[:, :d], casting="same_kind")
            B[:, :d] *= root[rows, None].astype(np.float32)
            B[:, d:] = root[rows, None]
            H += B.T @ B
        return H

    def add_gram(self, S: Array, rows: Array, weights: Array, sign: int) -> None:
        """S ± Σ over some rows of weights_i [x_i 1]ᵀ[x_i 1], in place."""
        d, first = self.n_features, weights[0]
        alike = bool((weights == first).all())  # then the sum is scaled, not each row
        root, factor = (np.ones(len(rows)), sign * first) if alike else (np.sqrt(weights), sign)
        room = None if self.is_sparse else np.empty((min(BLOCK, len(rows)), d))
        full = self.is_sparse and self.X.nnz > FULL * self.n_rows * d
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            r = root[part]
            if room is None:
                B = self.X[rows[part]]
                if not alike:
                    B.data *= np.repeat(r, np.diff(B.indptr))
                G = B.T @ B.toarray() if full else (B.T @ B).toarray()
            else:  # into the buffer, without a copy
                B = np.take(self.X, rows[part], axis=0, out=room[: len(r)], mode="clip")
                if not alike:
                    B *= r[:, None]
                G = B.T @ B  # the same factor on both sides halves the work
            S[:d, :d] += factor * G
            if self.intercept:
                border = factor * (B.T @ r)
                S[:d, d] += border
                S[d, :d] += border
                S[d, d] += factor * float(r @ r)

    def gram_between(self, features: Array, others: Array, weights: Array) -> Array:
        """Σ_i w_i x_ij x_ik for features j and others k of sparse rows, dense."""
        return ((self.XT[features] * weights) @ self.XT[others].T).toarray()

    def products_among(self, rows: Array) -> Array:
        return products_of_rows(chosen_rows(self.X, rows))

    def products_of_all_rows(self) -> Array:
        return self.products_among(np.arange(self.n_rows))

    def gram_of_rows(self, rows: Array) -> Callable[[Array], Array]:
        """p ↦ X_F X_Fᵀ p for some rows F, by a copy of them."""
        B = chosen_rows(self.X, rows)
        return lambda p: B @ (B.T @ p)
