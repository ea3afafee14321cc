"""Covariances of fewer rows than features,  Σ = RᵀDR + φI,  without a matrix (d, d).

R = √w (x − m_k) are the deviations of rows from the means of their classes, and D has a factor for each row, such as
one for each class. All that a Gaussian method needs of them is in the Gram matrix RRᵀ (n, n). Sparse rows stay sparse:
R = N − √w t_k,  where N has the stored entries and t_k is the mean where zeros are not stored. Columns in which most
rows have an entry are made dense in products, which is faster and loses no digits.

SpanSpread (φ = 0) has the pseudo-inverse, in columns of unit norm. With the independent rows R_I of their span, their
orthonormal combinations V = L⁻¹R_I for R_I R_Iᵀ = LLᵀ, and all rows as R = T V,
    Σ = VᵀUᵀU V,   Σ⁺ = VᵀU⁻¹U⁻ᵀV,   √D T = Q U.
All D share T and L, which one pivoted Cholesky factorization of RRᵀ gives.

DualSpread (φ > 0) has the inverse by the lemma of Woodbury, with K = RRᵀ + φD⁻¹ (n, n) of the rows with D > 0:
    Σ⁻¹ = (I − RᵀK⁻¹R)/φ,   det Σ = φ^(d−n) det D det K,   xᵀΣ⁻¹x = ‖√D⁻¹K⁻¹Rx‖² + φ ‖Σ⁻¹x‖².
Golub & Van Loan (2013), §2.1.4, §4.2.8
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import blas, lapack

from linclass.base.arrays import Array, Matrix, diagonal, frequent_columns, once
from linclass.base.messages import require_memory

# square of what is left of a row, relative to the features times the largest square
DEPENDENT = 1e-13
ROUNDING = 1e-15  # of the trace of K


class Deviations:
    """`near` is R itself if dense, or N (n, d); `rest` are the t_k (K, d); `roots` are √w; `codes` are the classes."""

    def __init__(self, near: Matrix, rest: Array | None, roots: Array, codes: Array, K: int):
        self.near, self.rest, self.roots, self.codes, self.K = near, rest, roots, codes, K
        self._span: RowSpan | None = None

    @classmethod
    def stacked(cls, classes: Sequence[tuple[Matrix, Array | None, Array]]) -> Self:
        """From (near, t_k, √w) of the rows of each class."""
        near, rest, roots = zip(*classes, strict=True)
        codes = np.repeat(np.arange(len(roots)), [*map(len, roots)])
        if rest[0] is None:
            return cls(np.vstack(near), None, np.concatenate(roots), codes, len(roots))
        joined = sp.csr_array(sp.vstack(near, format="csr"))
        return cls(joined, np.array(rest), np.concatenate(roots), codes, len(roots))

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be computed again."""
        lost = {"gram", "axes", "squares"}
        known = {name: value for name, value in vars(self).items() if name not in lost}
        return known | {"_span": None}

    def __len__(self) -> int:
        return len(self.roots)

    @property
    def shape(self) -> tuple[int, int]:
        return self.near.shape

    def scaled(self, by: Array) -> Deviations:
        """The columns divided by these numbers."""
        if self.rest is None:
            return Deviations(self.near / by, None, self.roots, self.codes, self.K)
        near = self.near.copy()
        near.data /= by[near.indices]
        return Deviations(near, self.rest / by, self.roots, self.codes, self.K)

    def times(self, factor: float) -> Deviations:
        """The same with all weights multiplied by a factor."""
        root = np.sqrt(factor)
        return Deviations(self.near * root, self.rest, self.roots * root, self.codes, self.K)

    def of_rows(self, rows: Array) -> Deviations:
        return Deviations(self.near[rows], self.rest, self.roots[rows], self.codes[rows], self.K)

    def among(self, places: Array, K: int) -> Deviations:
        """The same, with the classes at these positions among K."""
        rest = None
        if self.rest is not None:
            rest, used = np.zeros((K, self.shape[1])), np.unique(self.codes)
            rest[places[used]] = self.rest[used]
        return Deviations(self.near, rest, self.roots, places[self.codes], K)

    def dense(self) -> Array:
        if self.rest is None:
            return self.near
        n, d = self.shape
        require_memory(16 * n * d, f"the deviations of {n} rows from their means are dense")
        return self.near.toarray() - self.roots[:, None] * self.rest[self.codes]

    def outer(self, form: str) -> Array:
        """RᵀR (d, d) for the form 'tied', or that of each class (K, d, d) for 'full'."""
        K, d = 1 if form == "tied" else self.K, self.shape[1]
        require_memory(8 * (K + 1) * d * d, f"sums of parts need {K} dense {d} × {d} matrices")
        R = self.dense()
        if form == "tied":
            return R.T @ R
        return np.array([R[self.codes == k].T @ R[self.codes == k] for k in range(self.K)])

    @once
    def axes(self) -> tuple[Array, Array]:
        """(squares (r,), orthonormal directions (r, d)):  RᵀR = Σ s vvᵀ."""
        squares, U = np.linalg.eigh(self.gram)
        kept = squares > DEPENDENT * self.shape[1] * squares.max(initial=0)
        require_memory(24 * kept.sum() * self.shape[1], f"{kept.sum()} directions are dense")
        return squares[kept], self.combine(U.T[kept]) / np.sqrt(squares[kept])[:, None]

    def span(self, negligible: Array) -> RowSpan:
        """The span of the rows; computed once."""
        if self._span is None:
            self._span = RowSpan(self, negligible)
        return self._span

    @once
    def gram(self) -> Array:
        """RRᵀ (n, n)."""
        n = len(self)
        require_memory(
            6 * 8 * n * n, f"{n} rows of {self.shape[1]} features need {n} × {n} products"
        )
        if self.rest is None:
            return self.near @ self.near.T
        if not n:  # BLAS takes no empty matrix
            return np.zeros((0, 0))
        often = frequent_columns(self.near)
        many, few = np.flatnonzero(often), np.flatnonzero(~often)
        B = self.near[:, many].toarray() - self.roots[:, None] * self.rest[:, many][self.codes]
        N, T = self.near[:, few], self.rest[:, few]
        E = self.roots[:, None] * self._members  # (N − ET)(N − ET)ᵀ = NNᵀ − HEᵀ − EHᵀ
        H = N @ T.T - 0.5 * E @ (T @ T.T)
        G = (N @ N.T).toarray()
        G += B @ B.T
        left, right = np.hstack([H, E]).T, np.hstack([E, H]).T
        return blas.dgemm(-1.0, left, right, trans_a=1, beta=1.0, c=G.T, overwrite_c=1).T

    def products(self, M: Matrix) -> Array:
        """M Rᵀ (q, n)."""
        if self.rest is None:
            return M @ self.near.T
        near = (M @ self.near.T).toarray() if sp.issparse(M) else (self.near @ M.T).T
        return near - (M @ self.rest.T)[:, self.codes] * self.roots

    def combine(self, V: Array) -> Array:
        """V R (q, d)."""
        if self.rest is None:
            return V @ self.near
        return (self.near.T @ V.T).T - ((V * self.roots) @ self._members) @ self.rest

    @property
    def _members(self) -> Array:
        """Indicators of the classes (n, K)."""
        return np.eye(self.K)[self.codes]

    @once
    def squares(self) -> Array:
        """Σ r² of each column and class (K, d), without cancellation."""
        K, d = self.K, self.shape[1]
        if self.rest is None:
            return self._members.T @ (self.near * self.near)
        counts = np.diff(self.near.indptr)
        k, j = np.repeat(self.codes, counts), self.near.indices
        w = np.repeat(self.roots**2, counts)
        deviations = self.near.data - np.sqrt(w) * self.rest[k, j]
        place = k.astype(np.intp) * d + j
        stored = np.bincount(place, w, K * d).reshape(K, d)
        squares = np.bincount(place, deviations**2, K * d).reshape(K, d)
        mass = np.bincount(self.codes, self.roots**2, K)[:, None]
        return squares + np.maximum(mass - stored, 0) * self.rest**2


class RowSpan:
    """The span of R in columns of unit norm: the independent rows R_I, `own`, the factor L, and all rows T."""

    def __init__(self, R: Deviations, negligible: Array):
        """A column whose norm is up to `negligible` (d,) is rounding error."""
        norms = np.sqrt(R.squares.sum(axis=0))
        varies = norms > negligible
        self.scale = np.where(varies, norms, 0)
        self.weight = np.divide(1, norms, out=np.zeros_like(norms), where=varies)
        self.unit = R.scaled(np.where(varies, norms, np.inf))
        G = self.unit.gram
        tolerance = max(DEPENDENT * R.shape[1] * G.diagonal().max(initial=0), 1e-300)
        factor, order, rank = G, np.arange(1), 0
        if len(G):  # LAPACK takes no empty matrix
            factor, order, rank, _ = lapack.dpstrf(G.T, lower=1, tol=tolerance, overwrite_a=1)
        del self.unit.gram
        order, factor = order[: len(G)] - 1, np.tril(factor[:, :rank])
        self.own, self.L, self.T = order[:rank], factor[:rank], np.empty_like(factor)
        self.T[order] = factor
        self._volume: float | None = None

    def combine(self, Y: Array) -> Array:
        """Y V (q, d), in columns of unit norm."""
        whole = np.zeros((len(Y), len(self.unit)))
        whole[:, self.own] = _solved(self.L, Y, trans=1)
        return self.unit.combine(whole)

    def log_volume(self, R: Deviations) -> float:
        """ln det R_I R_Iᵀ in the units of the features; R is not kept, as it keeps the span."""
        if self._volume is None:
            if not self.weight.all():
                R = R.scaled(np.where(self.weight > 0, 1, np.inf))
            own = np.sort(self.own)
            G = R.gram[np.ix_(own, own)]
            L = lapack.dpotrf(G.T, lower=1, overwrite_a=1)[0] if len(own) else G
            self._volume = 2 * float(np.log(L.diagonal()).sum())
        return self._volume


def _solved(lower: Array, right: Array, trans: int = 0) -> Array:
    """The solutions of a triangular system for the rows of `right`; LAPACK takes no empty system."""
    if not right.size:
        return np.zeros_like(right)
    return lapack.dtrtrs(lower, right.T, lower=1, trans=trans)[0].T


def _times(X: Matrix, by: Array) -> Matrix:
    """The columns times these numbers."""
    if not sp.issparse(X):
        return X * by
    return sp.csr_array((X.data * by[X.indices], X.indices, X.indptr), X.shape)


class _RowSpread:
    """What both forms have in common; rows with D = 0 take no part."""

    def __init__(self, R: Deviations, D: Array, floor: float):
        self.R, self.D, self.floor = R, D, floor
        if not D.all():
            self.R, self.D = R.of_rows(D > 0), D[D > 0]

    def times(self, theta: Array) -> Array:
        """Σθ of each row of theta (K, d)."""
        return self.R.combine(self.D * self.R.products(theta)) + self.floor * theta


class SpanSpread(_RowSpread):
    """Σ = RᵀDR with D > 0, by the span of R; a column whose norm is up to `negligible` (d,) is rounding error."""

    def __init__(self, R: Deviations, D: Array, negligible: Array):
        super().__init__(R, D, 0.0)
        self.negligible = negligible

    @once
    def span(self) -> RowSpan:
        """The same for all D, and not needed to know that Σ is singular."""
        return self.R.span(self.negligible)

    @once
    def U(self) -> Array:
        return np.asarray(np.linalg.qr(np.sqrt(self.D)[:, None] * self.span.T, mode="r"))

    @property
    def rank(self) -> int:
        return len(self.span.own)

    @property
    def log_volume(self) -> float:
        """Over the directions with variance."""
        in_span = np.log(np.abs(self.U.diagonal())) - np.log(self.span.L.diagonal())
        return float(2 * in_span.sum()) + self.span.log_volume(self.R)

    def whiten(self, X: Matrix) -> Array:
        """Rows X (q, d) in coordinates (q, r) in which the covariance is the identity."""
        products = self.span.unit.products(_times(X, self.span.weight))
        return _solved(self.U.T, _solved(self.span.L, products[:, self.span.own]))

    def distances(self, X: Matrix, mean: Array) -> Array:
        """(x − m)ᵀΣ⁺(x − m) of rows X (q, d)."""
        Y = self.whiten(X) - self.whiten(mean[None]) if sp.issparse(X) else self.whiten(X - mean)
        return np.einsum("ij,ij->i", Y, Y)

    def directions(self, V: Array) -> Array:
        """Directions of whitened coordinates V (q, r) in those of the features: x·directions(v) = whiten(x)·v."""
        return self.span.combine(_solved(self.U.T, V, trans=1)) * self.span.weight

    def unwhiten(self, Y: Array) -> Array:
        """The rows (q, d) of the span with these whitened coordinates."""
        return self.span.combine(Y @ self.U) * self.span.scale

    def solve(self, mean: Array) -> Array:
        """Σ⁺m of each row of mean (K, d)."""
        return self.directions(self.whiten(mean))


class DualSpread(_RowSpread):
    """Σ = RᵀDR + φI with D ≥ 0 and φ > 0."""

    def __init__(self, R: Deviations, D: Array, floor: float):
        super().__init__(R, D, floor)
        self.L = np.zeros((0, 0))
        if len(self.D):
            self.L, indefinite = lapack.dpotrf(self._lifted_gram(floor), lower=1, overwrite_a=1)
            if indefinite:  # by rounding
                trace = float(self.D @ self.R.gram.diagonal())
                K = self._lifted_gram(floor + ROUNDING * len(self.D) * trace)
                self.L, _ = lapack.dpotrf(K, lower=1, overwrite_a=1)

    def _lifted_gram(self, floor: float) -> Array:
        """RRᵀ + φD⁻¹, as LAPACK takes it without a copy."""
        K = np.array(self.R.gram)
        diagonal(K)[...] += floor / self.D
        return K.T

    @property
    def rank(self) -> int:
        return self.R.shape[1]

    @property
    def log_volume(self) -> float:
        rest = self.rank - len(self.L)
        of_rows = np.log(self.D).sum() + 2 * np.log(self.L.diagonal()).sum()
        return float(rest * np.log(self.floor) + of_rows)

    def whiten(self, M: Array) -> Array:
        """Rows of M (K, d) in coordinates (K, n + d) in which they have the products mᵀΣ⁻¹m."""
        along = self._along(M) / np.sqrt(self.D)
        return np.hstack([along, np.sqrt(self.floor) * self.solve(M)])

    def distances(self, X: Matrix, mean: Array) -> Array:
        """(x − m)ᵀΣ⁻¹(x − m) of rows X (q, d)."""
        if sp.issparse(X):
            lengths = X.power(2).sum(axis=1) - 2 * (X @ mean) + mean @ mean
            V = self._halfway(X) - self._halfway(mean[None])
        else:
            X = X - mean
            lengths, V = np.einsum("ij,ij->i", X, X), self._halfway(X)
        lengths = lengths - np.einsum("ij,ij->i", V, V)
        return np.maximum(lengths, 0) / self.floor

    def solve(self, mean: Array) -> Array:
        """Σ⁻¹m of each row of mean (K, d)."""
        return (mean - self.R.combine(self._along(mean))) / self.floor

    def _halfway(self, M: Matrix) -> Array:
        """L⁻¹Rm of each row, for K = LLᵀ."""
        return _solved(self.L, self.R.products(M))

    def _along(self, M: Array) -> Array:
        """K⁻¹Rm of each row."""
        U = self.R.products(M)
        return lapack.dpotrs(self.L, U.T, lower=1)[0].T if U.size else U


OF_ROWS = SpanSpread, DualSpread
