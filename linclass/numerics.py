"""Products with the rows, and the linear algebra that they end in.

A fit touches X through `DesignMatrix` only, so dense and sparse data share one path.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

Array = np.ndarray
BLOCK = 2048  # rows at a time: small enough for the cache, large enough for BLAS


class DesignMatrix:
    """[X 1] as a linear map, the constant feature only when there is an intercept.

    theta is (d + 1,) for one score, or (K, d + 1) for K; scores are (n,) or (K, n).
    """

    def __init__(self, X: Any, intercept: bool = True):
        self.X = X
        self.intercept = bool(intercept)
        self.n_rows, self.n_features = X.shape
        self.width = self.n_features + self.intercept
        self.is_sparse = sparse.issparse(X)
        self.passes = 0.0  # how often all rows were read, the currency of every solver
        self._XT: Any = None

    def scores(self, theta: Array) -> Array:
        """Z = X W + b."""
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
            out[:d] = self.XT @ R
        else:
            out[:, :d] = (self.XT @ np.ascontiguousarray(R.T)).T if self.is_sparse else R @ self.X
        if self.intercept:
            out[..., d] = R.sum(axis=-1)
        return out

    def sparse_gram(self, D: Array) -> Array:
        """[X 1]ᵀ diag(D) [X 1], dense, by a product of sparse matrices."""
        self.passes += 1
        d, X = self.n_features, self.X
        scaled = X.copy()
        scaled.data *= np.repeat(D, np.diff(X.indptr))
        H = np.empty((self.width, self.width))
        H[:d, :d] = (self.XT @ scaled).toarray()
        if self.intercept:
            H[d, :d] = H[:d, d] = self.XT @ D
            H[d, d] = D.sum()
        return H

    def centred_gram(self, weights: Array) -> tuple[Array, Array]:
        """(x̄, Σ w_i (x_i − x̄)(x_i − x̄)ᵀ), weights summing to 1; without an intercept x̄ is 0.

        Centring the rows, not the Gram matrix, keeps the digits that far-off means would eat.
        """
        self.passes += 1
        d = self.n_features
        mean = self.XT @ weights if self.intercept else np.zeros(d)
        G = np.zeros((d, d))
        root = np.sqrt(weights)[:, None]
        for rows, B in self.blocks():
            C = (B[:, :d] - mean) * root[rows]
            G += C.T @ C
        return mean, G

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[slice, Array]]:
        """Dense [X 1], some rows at a time, in one buffer that the caller may overwrite."""
        d = self.n_features
        buffer = np.empty((min(size, self.n_rows), self.width))
        for start in range(0, self.n_rows, size):
            rows = slice(start, min(start + size, self.n_rows))
            B = buffer[: rows.stop - start]
            B[:, :d] = self.X[rows].toarray() if self.is_sparse else self.X[rows]
            B[:, d:] = 1
            yield rows, B

    def dense(self) -> Array:
        """[X 1] itself."""
        X = self.X.toarray() if self.is_sparse else self.X
        return np.column_stack([X, np.ones(self.n_rows)]) if self.intercept else X

    def row(self, i: int) -> tuple[Any, Array]:
        """(columns, values) of row i of [X 1]: every column when dense."""
        one = np.ones(int(self.intercept))
        if not self.is_sparse:
            return slice(None), np.concatenate([self.X[i], one])
        own = slice(self.X.indptr[i], self.X.indptr[i + 1])
        constant = np.full(int(self.intercept), self.n_features)
        columns = np.concatenate([self.X.indices[own], constant])
        return columns, np.concatenate([self.X.data[own], one])

    def scores_of(self, rows: slice, theta: Array) -> Array:
        """`scores` of a few rows, without building a matrix of them."""
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

    def take(self, rows: Any) -> DesignMatrix:
        return DesignMatrix(self.X[rows], self.intercept)

    def column_norms(self, weights: Array) -> Array:
        """√(Σ w_i x_ij²) of every column."""
        X = self.X
        if self.is_sparse:
            squares = X.copy()
            squares.data **= 2
            norms = squares.T @ weights
        else:
            norms = np.zeros(self.n_features)
            for start in range(0, self.n_rows, BLOCK):
                B = X[start : start + BLOCK]
                norms += np.einsum("i,ij,ij->j", weights[start : start + BLOCK], B, B)
        if self.intercept:
            norms = np.append(norms, weights.sum())
        return np.sqrt(norms)

    def row_norms(self) -> Array:
        """Squared length of every row of [X 1]."""
        X = self.X
        if self.is_sparse:
            squares = np.add.reduceat(np.append(X.data**2, 0.0), X.indptr[:-1])
            squares[np.diff(X.indptr) == 0] = 0
        else:
            squares = np.einsum("ij,ij->i", X, X)
        return squares + self.intercept

    @cached_property
    def single(self) -> Array:
        """[X 1] itself, dense and in single precision."""
        return self.dense().astype(np.float32)

    @property
    def XT(self) -> Any:
        """Xᵀ; for sparse X with rows of its own, so that products run along memory."""
        if self._XT is None:
            self._XT = self.X.T.tocsr() if self.is_sparse else self.X.T
        return self._XT


class Inverse:
    """H⁻¹ of a symmetric positive H by Cholesky; where a pivot says that H is singular, of its range.

    `rank` is then its rank and `times` gives the shortest solution; else it is None.
    """

    def __init__(self, H: Array, positive: bool = False):
        """`positive`: a penalty keeps H away from singular, however small a pivot."""
        self.rank: int | None = None
        self._factor, info = lapack.dpotrf(H, lower=1)
        pivots, diagonal = np.einsum("ii->i", self._factor), np.einsum("ii->i", H)
        if info or (not positive and (pivots * pivots < 1e-14 * diagonal).any()):
            self._look_closer(H)

    def times(self, g: Array) -> Array:
        """H⁻¹ g, for a vector or for columns."""
        if self.rank is None:
            return lapack.dpotrs(self._factor, g, lower=1)[0]
        root = self._scale if g.ndim == 1 else self._scale[:, None]
        values = self._values if g.ndim == 1 else self._values[:, None]
        x = self._range @ ((self._range.T @ (g / root)) / values) / root
        return x - self._null @ (self._null.T @ x)

    def _look_closer(self, H: Array) -> None:
        """Columns are brought to one scale to find the rank, which must not depend on units; of all
        solutions the shortest is then the one orthogonal to the null space."""
        scale = np.sqrt(np.maximum(np.diag(H), 0))
        scale[scale == 0] = 1
        values, vectors = np.linalg.eigh(H / np.outer(scale, scale))
        kept = values > values[-1] * len(H) * 1e-13
        self._scale, self._values, self._range = scale, values[kept], vectors[:, kept]
        self._null, _ = np.linalg.qr(vectors[:, ~kept] / scale[:, None])
        self.rank = int(kept.sum())
