"""Covariances of fewer rows than features,  Σ = RᵀDR + φI,  without a matrix (d, d).

R = √w (x − m_k) are the deviations of rows from the means of their classes, and D has a factor for each row, such as
one for each class. All that a Gaussian method needs of them is in the Gram matrix RRᵀ (n, n). Sparse rows stay sparse:
R = N − √w t_k,  where N has the stored entries and t_k is the mean where zeros are not stored. Columns in which most
rows have an entry are made dense in products, which is faster and loses no digits.

SpanSpread (φ = 0) has the pseudo-inverse, in columns of unit norm. With the independent rows R_I of their span, the
others R_D = C R_I, and G = R_I R_Iᵀ,
    Σ = R_IᵀE R_I,   Σ⁺ = R_IᵀG⁻¹E⁻¹G⁻¹R_I,   E = D_I + CᵀD_D C = √D_I (I + BᵀB) √D_I,   B = √D_D C/√D_I.
All D share the factor of G; B has few rows, one for each class at least, as deviations from a mean sum to 0.

DualSpread (φ > 0) has the inverse by the lemma of Woodbury, with K = RRᵀ + φD⁻¹ (n, n) of the rows with D > 0:
    Σ⁻¹ = (I − RᵀK⁻¹R)/φ,   det Σ = φ^(d−n) det D det K,   xᵀΣ⁻¹x = ‖√D⁻¹K⁻¹Rx‖² + φ ‖Σ⁻¹x‖².
Golub & Van Loan (2013), §2.1.4, §4.2.8
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import blas, lapack

from linclass.base.arrays import (
    Array,
    Matrix,
    diagonal,
    frequent_columns,
    once,
    products_of_rows,
)
from linclass.base.messages import require_memory

# square of what is left of a row, relative to the features times the largest square
DEPENDENT = 1e-13
ROUNDING = 1e-15  # relative to the trace of K


class Latest:
    """Result for the latest sparse rows, which several covariances and several fits need.

    Rows are compared by their content, since it may change in place.
    """

    def __init__(self) -> None:
        self.rows: sp.csr_array | None = None
        self.value = np.empty(0)

    def __getstate__(self) -> dict[str, Any]:
        """No state: the products can be computed again."""
        return vars(Latest())

    def of(self, X: sp.csr_array, compute: Callable[[sp.csr_array], Array]) -> Array:
        rows = self.rows
        known = rows is not None and rows.shape == X.shape and rows.nnz == X.nnz
        parts = ("indptr", "indices", "data")
        if not known or not all(np.array_equal(getattr(rows, p), getattr(X, p)) for p in parts):
            self.rows, self.value = X.copy(), compute(X)
        return self.value


class Deviations:
    """`near` is R itself if dense, or N (n, d); `rest` are the t_k (K, d); `roots` are √w; `codes` are the classes."""

    def __init__(self, near: Matrix, rest: Array | None, roots: Array, codes: Array, K: int):
        self.near, self.rest, self.roots, self.codes, self.K = near, rest, roots, codes, K
        self._latest = Latest()
        self._span: RowSpan | None = None

    @classmethod
    def stacked(cls, classes: Sequence[tuple[Matrix, Array | None, Array]]) -> Self:
        """Stack (near, t_k, √w) of the rows of each class."""
        near, rest, roots = zip(*classes, strict=True)
        codes = np.repeat(np.arange(len(roots)), [*map(len, roots)])
        if rest[0] is None:
            return cls(np.vstack(near), None, np.concatenate(roots), codes, len(roots))
        joined = sp.csr_array(sp.vstack(near, format="csr"))
        return cls(joined, np.array(rest), np.concatenate(roots), codes, len(roots))

    @classmethod
    def joined(cls, parts: Sequence[Deviations], between: Array) -> Self:
        """Dense, with a row `between` (K, d) the means of each class."""
        K = len(between)
        near = np.vstack([*(part.dense() for part in parts), between])
        roots = np.concatenate([*(part.roots for part in parts), np.ones(K)])
        return cls(near, None, roots, np.concatenate([*(p.codes for p in parts), np.arange(K)]), K)

    def __getstate__(self) -> dict[str, Any]:
        """State without what can be computed again."""
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
        """These deviations with all weights multiplied by a factor."""
        root = np.sqrt(factor)
        return Deviations(self.near * root, self.rest, self.roots * root, self.codes, self.K)

    def of_rows(self, rows: Array) -> Deviations:
        return Deviations(self.near[rows], self.rest, self.roots[rows], self.codes[rows], self.K)

    def among(self, places: Array, K: int) -> Deviations:
        """These deviations with the classes at these positions among K."""
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
        """M Rᵀ (q, n); those of sparse rows M are kept, as several covariances ask for them."""
        if self.rest is None:
            return M @ self.near.T
        if not sp.issparse(M):
            return (self.near @ M.T).T - (M @ self.rest.T)[:, self.codes] * self.roots
        return self._latest.of(M, self._sparse_products)

    def _sparse_products(self, M: sp.csr_array) -> Array:
        assert self.rest is not None, "dense rows have products of matrices"
        products = products_of_rows(M, self.near)
        products -= (M @ self.rest.T)[:, self.codes] * self.roots
        return products

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
    """The span of R in columns of unit norm. A pivoted Cholesky factorization divides its rows into r independent ones,
    R_I with R_I R_Iᵀ = LLᵀ, and those that are combinations of them, R_D = C R_I.
    """

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
        order = order[: len(G)] - 1
        self.own, self.others = order[:rank], order[rank:]
        # LAPACK ignores what is above the diagonal
        self.L = np.asfortranarray(factor[:rank, :rank])
        self._volume: float | None = None
        self.C = self._solved(lapack.dtrtrs, factor[rank:, :rank].T, trans=1).T
        self._latest = Latest()

    @property
    def rank(self) -> int:
        return len(self.own)

    def coordinates(self, X: Matrix) -> Array:
        """u = G⁻¹R_I x of rows X (q, d): x is R_Iᵀu in the span; kept for sparse rows."""
        return self._latest.of(X, self._coordinates) if sp.issparse(X) else self._coordinates(X)

    def _coordinates(self, X: Matrix) -> Array:
        products = self.unit.products(_times(X, self.weight))
        return self._solved(lapack.dpotrs, products[:, self.own].T).T

    def combine(self, V: Array) -> Array:
        """V R_I (q, d)."""
        return self.unit.combine(self._among(V)) * self.scale

    def pull(self, V: Array) -> Array:
        """V G⁻¹R_I (q, d)."""
        V = self._solved(lapack.dpotrs, V.T).T
        return self.unit.combine(self._among(V)) * self.weight

    def log_volume(self, R: Deviations) -> float:
        """ln det R_I R_Iᵀ in the units of the features; R is not kept, as it keeps the span."""
        if self._volume is None:
            if not self.weight.all():
                R = R.scaled(np.where(self.weight > 0, 1, np.inf))
            own = np.sort(self.own)
            G = R.gram[np.ix_(own, own)]
            L = lapack.dpotrf(G.T, lower=1, overwrite_a=1)[0] if self.rank else G
            self._volume = 2 * float(np.log(L.diagonal()).sum())
        return self._volume

    def _among(self, V: Array) -> Array:
        whole = np.zeros((len(V), len(self.unit)))
        whole[:, self.own] = V
        return whole

    def _solved(self, solve: Any, right: Array, **options: Any) -> Array:
        """Solution of a triangular system; empty for an empty system, which LAPACK does not accept."""
        return solve(self.L, right, lower=1, **options)[0] if right.size else np.zeros_like(right)


def _times(X: Matrix, by: Array) -> Matrix:
    """The columns times these numbers."""
    if not sp.issparse(X):
        return X * by
    return sp.csr_array((X.data * by[X.indices], X.indices, X.indptr), X.shape)


class _RowSpread:
    """What both forms have in common; subclasses have R, D, `floor` φ and `solve`."""

    R: Deviations
    D: Array
    floor: float

    def times(self, theta: Array) -> Array:
        """Σθ of each row of theta (K, d)."""
        return self.R.combine(self.D * self.R.products(theta)) + self.floor * theta


class SpanSpread(_RowSpread):
    """Σ = RᵀDR with D > 0, by the span of R; a column whose norm is up to `negligible` (d,) is rounding error."""

    def __init__(self, R: Deviations, D: Array, negligible: Array):
        self.R, self.D, self.negligible, self.floor = R, D, negligible, 0.0
        self._latest = Latest()

    @once
    def span(self) -> RowSpan:
        """Span of R, which does not depend on D. It is not needed to know that Σ is singular."""
        return self.R.span(self.negligible)

    @once
    def roots(self) -> Array:
        return np.sqrt(self.D[self.span.own])

    @once
    def B(self) -> Array:
        return np.sqrt(self.D[self.span.others])[:, None] * self.span.C / self.roots

    @once
    def eigen(self) -> tuple[Array, Array]:
        """Eigenvalues and eigenvectors of BBᵀ."""
        squares, axes = np.linalg.eigh(self.B @ self.B.T)
        return np.maximum(squares, 0), axes

    @property
    def rank(self) -> int:
        return self.span.rank

    @property
    def log_volume(self) -> float:
        """Over the directions with variance."""
        return self.log_volume_in_span + self.span.log_volume(self.R)

    @property
    def log_volume_in_span(self) -> float:
        """Less a constant that is the same for all covariances in the same span."""
        return float(2 * np.log(self.roots).sum() + np.log1p(self.eigen[0]).sum())

    def whiten(self, X: Matrix) -> Array:
        """Rows X (q, d) in coordinates (q, r) in which the covariance is the identity."""
        return self._power(self.span.coordinates(X) / self.roots, -0.5)

    def whitened_rows(self) -> Array:
        """R itself (n, r), whitened."""
        own, others, C = self.span.own, self.span.others, self.span.C / self.roots
        products = np.empty((len(self.R), len(others)))  # of the rows before they are bent
        products[own], products[others] = self.B.T / self.roots[:, None], C @ self.B.T
        Y = np.asarray(products @ self._bend(-0.5) @ self.B)
        Y[own, np.arange(self.rank)] += 1 / self.roots
        Y[others] += C
        return Y

    def distances(self, X: Matrix, mean: Array) -> Array:
        """(x − m)ᵀΣ⁺(x − m) of rows X (q, d)."""
        Y = (
            self._latest.of(X, self.whiten) - self.whiten(mean[None])  # for classes that share Σ
            if sp.issparse(X)
            else self.whiten(X - mean)
        )
        return np.einsum("ij,ij->i", Y, Y)

    def directions(self, V: Array) -> Array:
        """Directions of whitened coordinates V (q, r) in those of the features: x·directions(v) = whiten(x)·v."""
        return self.span.pull(self._power(V, -0.5) / self.roots)

    def unwhiten(self, Y: Array) -> Array:
        """The rows (q, d) of the span with these whitened coordinates."""
        return self.span.combine(self._power(Y, 0.5) * self.roots)

    def solve(self, mean: Array) -> Array:
        """Σ⁺m of each row of mean (K, d)."""
        return self.directions(self.whiten(mean))

    def _power(self, Y: Array, power: float) -> Array:
        """Y (I + BᵀB)^power."""
        return Y + Y @ self.B.T @ self._bend(power) @ self.B

    def _bend(self, power: float) -> Array:
        """M with (I + BᵀB)^power = I + BᵀMB."""
        squares, axes = self.eigen
        s = np.where(squares > 0, squares, 1)
        bent = np.where(squares > 0, np.expm1(power * np.log1p(s)) / s, power)
        return axes * bent @ axes.T


class DualSpread(_RowSpread):
    """Σ = RᵀDR + φI with D ≥ 0 and φ > 0."""

    def __init__(self, R: Deviations, D: Array, floor: float):
        self.R, self.D, self.floor = R, D, floor
        self._latest = Latest()
        own = np.flatnonzero(D > 0)
        block = slice(own[0], own[-1] + 1) if len(own) else slice(0, 0)
        is_block = block.stop - block.start == len(own)  # all rows, or those of one class
        self.own: slice | Array = block if is_block else own
        self.L = np.zeros((0, 0))
        if len(own):
            self.L, indefinite = lapack.dpotrf(self._lifted_gram(floor), lower=1, overwrite_a=1)
            if indefinite:  # by rounding
                trace = float(self.D @ R.gram.diagonal())
                K = self._lifted_gram(floor + ROUNDING * len(own) * trace)
                self.L, _ = lapack.dpotrf(K, lower=1, overwrite_a=1)

    def _lifted_gram(self, floor: float) -> Array:
        """RRᵀ + φD⁻¹, as LAPACK takes it without a copy."""
        K = np.array(self.R.gram[self.own][:, self.own])
        diagonal(K)[...] += floor / self.D[self.own]
        return K.T

    @property
    def rank(self) -> int:
        return self.R.shape[1]

    @property
    def log_volume(self) -> float:
        rest = self.rank - len(self.L)
        of_rows = np.log(self.D[self.own]).sum() + 2 * np.log(self.L.diagonal()).sum()
        return float(rest * np.log(self.floor) + of_rows)

    def whiten(self, M: Array) -> Array:
        """Rows of M (K, d) in coordinates (K, n + d) in which they have the products mᵀΣ⁻¹m."""
        along = self._along(M) / np.sqrt(self.D[self.own])
        return np.hstack([along, np.sqrt(self.floor) * self.solve(M)])

    def distances(self, X: Matrix, mean: Array) -> Array:
        """(x − m)ᵀΣ⁻¹(x − m) of rows X (q, d)."""
        if sp.issparse(X):
            lengths = X.power(2).sum(axis=1) - 2 * (X @ mean) + mean @ mean
            V = self._latest.of(X, self._halfway) - self._halfway(mean[None])
        else:
            X = X - mean
            lengths, V = np.einsum("ij,ij->i", X, X), self._halfway(X)
        lengths = lengths - np.einsum("ij,ij->i", V, V)
        return np.maximum(lengths, 0) / self.floor

    def solve(self, mean: Array) -> Array:
        """Σ⁻¹m of each row of mean (K, d)."""
        whole = np.zeros((len(mean), len(self.R)))
        whole[:, self.own] = self._along(mean)
        return (mean - self.R.combine(whole)) / self.floor

    def _halfway(self, M: Matrix) -> Array:
        """L⁻¹Rm of each row, for K = LLᵀ."""
        U = np.array(self.R.products(M)[:, self.own])
        return lapack.dtrtrs(self.L, U.T, lower=1, overwrite_b=1)[0].T if U.size else U

    def _along(self, M: Array) -> Array:
        """K⁻¹Rm of each row."""
        U = self.R.products(M)[:, self.own]
        return lapack.dpotrs(self.L, U.T, lower=1)[0].T if U.size else U


OF_ROWS = SpanSpread, DualSpread
