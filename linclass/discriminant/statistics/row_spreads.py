"""A covariance by fewer rows than features,  Σ = RᵀDR + φI,  without a matrix (d, d).

D has a factor for each row, such as one for each class. Both forms have the interface of `Spread`.

SpanSpread (φ = 0) has the pseudo-inverse, in columns of unit norm. With the independent rows R_I of their span, the
others R_D = C R_I, and G = R_I R_Iᵀ,
    Σ = R_IᵀE R_I,   Σ⁺ = R_IᵀG⁻¹E⁻¹G⁻¹R_I,   E = D_I + CᵀD_D C = √D_I (I + BᵀB) √D_I,   B = √D_D C/√D_I.
All D share the factor of G; B has few rows, one for each class at least, as deviations from a mean sum to 0.

DualSpread (φ > 0) has the inverse by the lemma of Woodbury, with K = RRᵀ + φD⁻¹ (n, n) of the rows with D > 0:
    Σ⁻¹ = (I − RᵀK⁻¹R)/φ,   det Σ = φ^(d−n) det D det K,   xᵀΣ⁻¹x = ‖√D⁻¹K⁻¹Rx‖² + φ ‖Σ⁻¹x‖².
Golub & Van Loan (2013), §2.1.4, §4.2.8
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from linclass.base.arrays import Array, Matrix, diagonal, once
from linclass.discriminant.statistics.deviations import Deviations, RowSpan
from linclass.discriminant.statistics.latest import Latest

ROUNDING = 1e-15  # of the trace of K


class _RowSpread:
    """What both forms have in common; subclasses have R, D, `floor` φ and `solve`."""

    R: Deviations
    D: Array
    floor: float

    def times(self, theta: Array) -> Array:
        """Σθ of each row of theta (K, d)."""
        return self.R.combine(self.D * self.R.products(theta)) + self.floor * theta

    def lengths(self, theta: Array) -> Array:
        """θᵀΣθ of each row of theta (K, d)."""
        return (self.D * self.R.products(theta) ** 2).sum(axis=1) + self.floor * (theta**2).sum(
            axis=1
        )

    def noise(self, rows: int, rng: np.random.Generator) -> Array:
        """Rows from N(0, Σ)."""
        own = self.R.combine(np.sqrt(self.D) * rng.standard_normal((rows, len(self.R))))
        return own + np.sqrt(self.floor) * rng.standard_normal(own.shape)


class SpanSpread(_RowSpread):
    """Σ = RᵀDR with D > 0, by the span of R; a column whose norm is up to `negligible` (d,) is rounding error."""

    def __init__(self, R: Deviations, D: Array, negligible: Array):
        self.R, self.D, self.negligible, self.floor = R, D, negligible, 0.0
        self._latest = Latest()

    @once
    def span(self) -> RowSpan:
        """The same for all D, and not needed to know that Σ is singular."""
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
        U = np.zeros((len(self.R), self.rank))
        U[self.span.own, np.arange(self.rank)] = 1
        U[self.span.others] = self.span.C
        return self._power(U / self.roots, -0.5)

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
        squares, axes = self.eigen
        s = np.where(squares > 0, squares, 1)
        bent = np.where(squares > 0, np.expm1(power * np.log1p(s)) / s, power)
        return Y + ((Y @ self.B.T) @ axes * bent) @ axes.T @ self.B


class DualSpread(_RowSpread):
    """Σ = RᵀDR + φI with D ≥ 0 and φ > 0."""

    def __init__(self, R: Deviations, D: Array, floor: float):
        self.R, self.D, self.floor = R, D, floor
        self._latest = Latest()
        self.own = np.flatnonzero(D > 0)
        self.L = np.zeros((0, 0))
        if len(self.own):
            self.L, indefinite = lapack.dpotrf(self._lifted_gram(floor), lower=1, overwrite_a=1)
            if indefinite:  # by rounding
                trace = float(self.D @ R.gram.diagonal())
                K = self._lifted_gram(floor + ROUNDING * len(self.own) * trace)
                self.L, _ = lapack.dpotrf(K, lower=1, overwrite_a=1)

    def _lifted_gram(self, floor: float) -> Array:
        """RRᵀ + φD⁻¹, as LAPACK takes it without a copy."""
        G, block = self.R.gram, slice(self.own[0], self.own[-1] + 1)
        is_block = block.stop - block.start == len(self.own)  # all rows, or those of one class
        K = G[block, block].copy() if is_block else G[np.ix_(self.own, self.own)]
        diagonal(K)[...] += floor / self.D[self.own]
        return K.T

    @property
    def rank(self) -> int:
        return self.R.shape[1]

    @property
    def log_volume(self) -> float:
        rest = self.rank - len(self.own)
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
        U = self.R.products(M)[:, self.own]
        return lapack.dtrtrs(self.L, U.T, lower=1, overwrite_b=1)[0].T if U.size else U

    def _along(self, M: Array) -> Array:
        """K⁻¹Rm of each row."""
        U = self.R.products(M)[:, self.own]
        return lapack.dpotrs(self.L, U.T, lower=1)[0].T if U.size else U


OF_ROWS = SpanSpread, DualSpread
