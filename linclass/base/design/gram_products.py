"""Products of the rows with each other, XᵀWX over features and XXᵀ over rows, for dense and sparse rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.annotations import Matrix
from linclass.base.design.base import Design
from linclass.base.numerics.arrays import BLOCK, Array, chosen_rows

GRAM_BLOCK = 2_000_000  # entries at a time where BLAS does most of the work
FEW_ENTRIES = 30  # for a group, up to which their products are added one by one
COPIED = 1_000_000  # entries of X above which at most a quarter of the rows is copied
FULL = 0.1  # share of entries of sparse rows, above which one factor of a Gram matrix is dense


class GramProducts(Design):
    """Base of `DesignMatrix`: products of its rows."""

    X: Any  # an array or a sparse matrix
    is_tiny: bool

    @property
    def rows(self) -> Array:
        raise NotImplementedError

    @property
    def XT(self) -> Matrix:
        raise NotImplementedError

    def blocks(self, size: int = BLOCK, filled: bool = True) -> Iterator[tuple[slice, Array]]:
        raise NotImplementedError

    def centre(self, weights: Array) -> Array:
        raise NotImplementedError

    def dense(self) -> Array:
        raise NotImplementedError

    def gram(self, D: Array) -> Array:
        """[X 1]ᵀ diag(D) [X 1], dense, for D ≥ 0; of sparse rows by a product of sparse matrices."""
        self.passes += 1
        d, X = self.n_features, self.X
        if not self.is_sparse:  # a product of a matrix with its transpose (syrk): half the work
            if (D[0] == D).all():
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
        if self.is_tiny:
            return self.rows.T @ self.rows
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
        size = max(BLOCK, GRAM_BLOCK // self.width)
        for start in range(0, self.n_rows, size):
            rows = slice(start, min(start + size, self.n_rows))
            B = np.empty((rows.stop - start, self.width), np.float32)
            if self.is_sparse:
                own = slice(self.X.indptr[start], self.X.indptr[rows.stop])
                pointers = self.X.indptr[start : rows.stop + 1] - own.start
                scaled = self.X.data[own] * np.repeat(root[rows], np.diff(pointers))
                parts = scaled.astype(np.float32), self.X.indices[own], pointers
                B[:, :d] = sparse.csr_array(parts, shape=(len(B), d)).toarray()
                if mean.any():
                    B[:, :d] -= np.multiply.outer(root[rows], mean)
            else:
                np.subtract(self.X[rows], mean, out=B[:, :d], casting="same_kind")
                B[:, :d] *= root[rows, None].astype(np.float32)
            B[:, d:] = root[rows, None]
            H += B.T @ B
        return H

    def centred_gram(self, weights: Array) -> tuple[Array, Array]:
        """(x̄, Σ w_i (x_i − x̄)(x_i − x̄)ᵀ), weights summing to 1; without an intercept x̄ is 0.

        Centring the rows, not the Gram matrix, avoids cancellation if the mean is far from 0.
        """
        self.passes += 1
        d = self.n_features
        mean = self.centre(weights)
        G = np.zeros((d, d))
        root = np.sqrt(weights)[:, None]
        for rows, B in self.blocks():
            C = (B[:, :d] - mean) * root[rows]
            G += C.T @ C
        return mean, G

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

    def gram_by_group(self, groups: Array, rows: Array, factors: Array, n_groups: int) -> Array:
        """Σ factor·[x 1]ᵀ[x 1] over the rows that are entered for each group: (n_groups, width, width)."""
        used, place = np.unique(rows, return_inverse=True)
        B = self.take(used).dense()
        width = self.width
        if len(rows) <= FEW_ENTRIES * n_groups:  # a product of matrices for each would cost more
            products = (B[:, :, None] * B[:, None, :]).reshape(len(B), width * width)
            sums = sparse.csr_array((factors, (groups, place)), shape=(n_groups, len(B)))
            return (sums @ products).reshape(n_groups, width, width)
        out = np.zeros((n_groups, width, width))
        order = np.argsort(groups, kind="stable")
        stops = np.searchsorted(groups[order], np.arange(n_groups + 1))
        for g in np.flatnonzero(np.diff(stops)):
            own = order[stops[g] : stops[g + 1]]
            C = B[place[own]]
            out[g] = (C * factors[own, None]).T @ C
        return out

    def products_among(self, rows: Array) -> Array:
        """x_i·x_j between some rows."""
        B = chosen_rows(self.X, rows)
        return (B @ B.T).toarray() if self.is_sparse else B @ B.T

    def products_of_all_rows(self) -> Array:
        return self.products_among(np.arange(self.n_rows))

    def gram_of_rows(self, rows: Array) -> Callable[[Array], Array]:
        """p ↦ X_F X_Fᵀ p for some rows F, by a copy of them, or by all rows if a copy would be large."""
        X, n = self.X, self.n_rows
        if 4 * len(rows) <= n or (X.nnz if self.is_sparse else X.size) <= COPIED:
            B = chosen_rows(X, rows)
            return lambda p: B @ (B.T @ p)
        XT, full = self.XT, np.zeros(n)

        def times(p: Array) -> Array:
            full[rows] = p
            return (X @ (XT @ full))[rows]

        return times
