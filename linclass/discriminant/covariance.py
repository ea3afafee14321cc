"""The covariance of classes in factors, from their moments: degrees of freedom, type and shrinkage.

    Σ = (1 − α) S/f + α μ I,   μ = tr S/(f d),   f = N − ddof·K,

with S the scatter within the classes: the whole matrix, its diagonal, or the mean of its diagonal. Each kind of factors
(`Spread`, `DiagonalSpread`, and `RowSpread` of fewer rows than features) has the same methods: `whiten` gives rows in
coordinates in which Σ is the identity, `solve` is Σ⁺, and `times` is Σ.
Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from linclass.base.arrays import Array, Matrix, once
from linclass.base.messages import NotApplicable, require_memory
from linclass.base.parameters import is_whole
from linclass.discriminant.class_moments import BY_ROWS, ClassMoments, Deviations, RowSpan

NEGLIGIBLE = 1e-13  # eigenvalue of a correlation matrix, relative to d times the largest
COVARIANCE_TYPES = ("full", "diag", "spherical")


class Factors:
    """Base class of the factors of a covariance."""

    def whiten(self, X: Matrix) -> Array:
        """Rows X (n, d) in coordinates (n, r) in which the covariance is the identity."""
        raise NotImplementedError

    def distances(self, X: Matrix, mean: Array, known: Any = None) -> Array:
        """(x − m)ᵀΣ⁺(x − m) of rows X (n, d): squared lengths of whitened rows about m, which avoids cancellation.

        `known` are the coordinates of the rows, where all classes share some.
        """
        distance = self.whiten((X.toarray() if sp.issparse(X) else X) - mean)
        return np.einsum("ij,ij->i", distance, distance)


@dataclass(frozen=True)
class Spread(Factors):
    """Σ = FᵀF and Σ⁺ = WWᵀ with root F (r, d) and whitener W (d, r), r the rank.

    Columns are first scaled to unit variance, so that the rank does not depend on the units of the features. Without
    full rank Σ⁺ is the pseudo-inverse in those coordinates: directions without variance are left out.
    Golub & Van Loan (2013), §4.2, §5.5

    Without a `factor` the root is computed as the inverse of the triangular whitener, which halves the memory.
    """

    factor: Array | None
    whitener: Array
    known_volume: float | None = None  # ln det Σ, if a factorization gave it

    @property
    def rank(self) -> int:
        return self.whitener.shape[1]

    @property
    def root(self) -> Array:
        return lapack.dtrtri(self.whitener)[0] if self.factor is None else self.factor

    @property
    def log_volume(self) -> float:
        """ln det Σ; without full rank, over the directions with variance."""
        if self.known_volume is not None:
            return self.known_volume
        if self.rank == self.root.shape[1]:
            return 2 * float(np.linalg.slogdet(self.root)[1])
        return 2 * float(np.log(np.linalg.svd(self.root, compute_uv=False)).sum())

    def whiten(self, X: Matrix) -> Array:
        return X @ self.whitener

    def directions(self, V: Array) -> Array:
        """Directions of whitened coordinates V (q, r) in those of the features: x·directions(v) = whiten(x)·v."""
        return V @ self.whitener.T

    def unwhiten(self, Y: Array) -> Array:
        """The rows (q, d) with these whitened coordinates, without the directions without variance."""
        return Y @ self.root

    def times(self, theta: Array) -> Array:
        """Σθ of each row of theta (K, d)."""
        return theta @ self.root.T @ self.root

    def solve(self, mean: Array) -> Array:
        """Σ⁺m of each row of mean (K, d)."""
        return mean @ self.whitener @ self.whitener.T

    @classmethod
    def of_covariance(cls, C: Array, negligible: Array, variances: Array | None = None) -> Self:
        """From Σ (d, d); a standard deviation up to `negligible` (d,) is rounding error.

        `variances` of the features have their units, if not those of Σ itself.
        """
        variances = np.diagonal(C) if variances is None else variances
        return cls.of_covariances(C[None], negligible[None], variances[None])[0]

    @classmethod
    def shrunk(cls, C: Array, negligible: Array, share: float) -> Self:
        """Of (1 − α)Σ + α (tr Σ/d) I, which has full rank for any share α > 0, however small."""
        floor = share * C.trace() / len(C)
        if not floor:
            return cls.of_covariance(C, negligible)
        values, V = np.linalg.eigh(C)
        variances = (1 - share) * np.maximum(values, 0) + floor
        roots = np.sqrt(variances)
        return cls((V * roots).T, V / roots, float(np.log(variances).sum()))

    @classmethod
    def of_covariances(
        cls, C: Array, negligible: Array, variances: Array | None = None
    ) -> list[Self]:
        """From many Σ (n, d, d) at once, with `negligible` (n, d)."""
        variances = np.diagonal(C, axis1=1, axis2=2) if variances is None else variances
        scale = np.sqrt(np.maximum(variances, 0))
        scale = np.where(scale > negligible, scale, 0)  # 0 for a column without variance
        weight = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
        return [cls._of_one(*one) for one in zip(C, scale, weight, strict=True)]

    @classmethod
    def _of_one(cls, C: Array, scale: Array, weight: Array) -> Self:
        """By Cholesky factorization if that determines the rank; otherwise by eigenvectors."""
        L, indefinite = lapack.dpotrf(C.T, lower=1, clean=1)
        if not indefinite and weight.all():
            inverse, _ = lapack.dtrtri(L, lower=1)
            unit = inverse.T * scale[:, None]  # of the correlation matrix Q, Σ = scale·Q·scale
            # ‖Q‖ ≤ tr Q and ‖Q⁻¹‖ ≤ ‖unit‖², so nothing ill-conditioned passes
            size = np.vdot(weight * weight, C.diagonal())
            if size * np.vdot(unit, unit) * (NEGLIGIBLE * len(C)) < 1:
                return cls(None, inverse.T, 2 * float(np.log(L.diagonal()).sum()))
        Q = C * np.multiply.outer(weight, weight)  # correlations, 0 for columns without variance
        values, vectors = np.linalg.eigh(Q)
        V = vectors.T
        kept = values > max(values.max(initial=0) * (NEGLIGIBLE * len(C)), 0)
        root = np.sqrt(values[kept])[:, None]
        return cls(root * V[kept] * scale, weight[:, None] * (V[kept] / root).T)


@dataclass(frozen=True)
class DiagonalSpread(Factors):
    """Σ = diag(deviation²), of which only d numbers are kept; a feature with deviation 0 is left out of the inverse."""

    deviation: Array

    @property
    def rank(self) -> int:
        return int(np.count_nonzero(self.deviation))

    @property
    def log_volume(self) -> float:
        return 2 * float(np.log(self.deviation[self.deviation > 0]).sum())

    def whiten(self, X: Matrix) -> Array:
        return X * self._inverse

    def times(self, theta: Array) -> Array:
        return theta * self.deviation**2

    def solve(self, mean: Array) -> Array:
        return mean * self._inverse**2

    @property
    def _inverse(self) -> Array:
        spread = self.deviation > 0
        return np.divide(1, self.deviation, out=np.zeros_like(self.deviation), where=spread)


class RowSpread(Factors):
    """Σ = RᵀDR + φI of fewer rows than features, without a matrix (d, d). D has a factor for each row.

    It is D_I + CᵀD_D C + φ(LLᵀ)⁻¹ in the coordinates of the span of R, and φ in all directions orthogonal to it.
    Without φ these are left out, by the pseudo-inverse in columns of unit norm, so that the rank does not depend on the
    units of the features; columns whose norm is at most `negligible` (d,) are rounding error.
    Golub & Van Loan (2013), §4.2.8
    """

    def __init__(
        self, R: Deviations, D: Array, negligible: Array, floor: float = 0.0, whole: bool = True
    ):
        """`whole`: whether Σ has variance φ in the directions orthogonal to the span, too."""
        self.R, self.D, self.negligible, self.floor = R, D, negligible, floor
        self.beside = floor if whole else 0.0

    @once
    def span(self) -> RowSpan:
        """The same for all D; it is not needed to know that Σ is singular."""
        return self.R.span() if self.floor else self.R.span(self.negligible)

    @once
    def inner(self) -> Spread:
        """Σ along the span."""
        span, D = self.span, self.D
        C = np.diag(D[span.own]) + (span.C.T * D[span.others]) @ span.C
        if self.floor:
            C += self.floor * span.inverse
        return Spread.of_covariance(C, np.zeros(len(C)))

    def along(self) -> RowSpread:
        """Σ without the directions orthogonal to the span."""
        return RowSpread(self.R, self.D, self.negligible, self.floor, whole=False)

    @property
    def rank(self) -> int:
        return self.R.shape[1] if self.beside else self.inner.rank

    @property
    def log_volume(self) -> float:
        """Over the directions with variance."""
        rest = self.rank - self.span.rank
        return self.inner.log_volume + self.span.log_volume + rest * np.log(self.beside or 1.0)

    def whiten(self, X: Array) -> Array:
        C = self.span.coordinates(X)
        Y = self.inner.whiten(C)
        return np.hstack([Y, self._rest(X, C) / np.sqrt(self.beside)]) if self.beside else Y

    def whitened_rows(self) -> Array:
        """R itself (n, r), whitened along the span."""
        return self.inner.whiten(self.span.rows)

    def distances(self, X: Matrix, mean: Array, known: Any = None) -> Array:
        C = self.span.coordinates(X) if known is None else known
        C = C - self.span.coordinates(mean[None])
        squares = self.inner.distances(C, np.zeros(C.shape[1]))
        if not self.beside:
            return squares
        if sp.issparse(X):
            lengths = X.power(2).sum(axis=1) - 2 * (X @ mean) + mean @ mean
        else:
            D = X - mean
            lengths = np.einsum("ij,ij->i", D, D)
        return squares + np.maximum(lengths - self.span.squares(C), 0) / self.beside

    def directions(self, V: Array) -> Array:
        """Directions of whitened coordinates V (q, r) in those of the features: x·directions(v) = whiten(x)·v."""
        return self.span.directions(self.inner.directions(V))

    def unwhiten(self, Y: Array) -> Array:
        """The rows (q, d) of the span with these whitened coordinates."""
        return self.span.combine(self.inner.unwhiten(Y))

    def times(self, theta: Array) -> Array:
        """Σθ of each row of theta (K, d)."""
        return self.R.combine(self.D * self.R.products(theta)) + self.floor * theta

    def solve(self, mean: Array) -> Array:
        """Σ⁺m of each row of mean (K, d)."""
        C = self.span.coordinates(mean)
        theta = self.span.directions(self.inner.solve(C))
        return theta + self._rest(mean, C) / self.beside if self.beside else theta

    def _rest(self, X: Array, C: Array) -> Array:
        """The part of the rows that is orthogonal to the span."""
        return X - self.span.combine(C)


AnySpread = Spread | DiagonalSpread | RowSpread


def check_ddof(ddof: object) -> None:
    if not is_whole(ddof, 0) or ddof not in (0, 1):
        raise ValueError(
            f"ddof is {ddof!r}; it must be 1, a degree of freedom for the mean of each class, or 0, maximum likelihood."
        )


def check_covariance_type(covariance_type: object) -> None:
    if covariance_type not in COVARIANCE_TYPES:
        types = ", ".join(map(repr, COVARIANCE_TYPES))
        raise ValueError(f"covariance_type is {covariance_type!r}; it must be one of {types}.")


def check_share(name: str, value: object, otherwise: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name} is {value!r}; it must be a number from 0 to 1{otherwise}.")


def tied_form(X: Matrix, K: int, covariance_type: str, owner: str) -> str:
    """The form of the scatter: the matrix or the rows, whichever is smaller."""
    if covariance_type != "full":
        return "diagonal"
    if is_wide(X, K):
        return "rows"
    d = X.shape[1]
    require_memory(4 * 8 * d * d, f"{owner} needs a dense {d} × {d} covariance and its factors")
    return "tied"


def is_wide(X: Matrix, K: int) -> bool:
    """Whether rows about the means of K classes have fewer dimensions than features."""
    n, d = X.shape
    return bool(n - K < d)


def too_little_weight(total: float) -> NotApplicable:
    return NotApplicable(
        f"the weights count N = {total:g} rows, so N − K is not positive; add rows, scale frequency weights up, "
        "or use ddof=0."
    )


def degrees_of_freedom(moments: ClassMoments, ddof: int) -> Any:
    """The divisor f of the scatter; for stacked moments one per fold."""
    f = moments.total - ddof * moments.present
    if f.min() > 0:
        return f
    if moments.squares.any():
        raise too_little_weight(float(np.min(moments.total)))
    return np.where(f > 0, f, 1.0)  # one row in each class: the scatter is 0 then


def degrees_of_freedom_by_class(moments: ClassMoments, ddof: int) -> Array:
    """The divisor n_k − ddof of the scatter of each class, also of a stack."""
    f = moments.mass - ddof
    few = f <= 0
    if few.any():
        variance = moments.squares
        rounding = moments.mass[..., None] * moments.negligible[..., None, :] ** 2
        if (lost := few & (variance > rounding).any(axis=-1)).any():
            raise NotApplicable(
                f"the weights of a class count n_k = {moments.mass[lost][0]:g} rows, so n_k − 1 is not positive; add "
                "rows, scale frequency weights up, or use ddof=0."
            )
    return np.where(few, 1.0, f)  # one row: the scatter is 0, whatever its divisor


def tied_spread(
    moments: ClassMoments, ddof: int, covariance_type: str = "full", shrinkage: float = 0.0
) -> AnySpread:
    """The covariance that the classes share."""
    f = degrees_of_freedom(moments, ddof)
    negligible = moments.negligible
    if moments.form == "diagonal":
        variance = moments.pooled / f
        variance = np.where(variance > negligible**2, variance, 0)
        share = 1.0 if covariance_type == "spherical" else shrinkage
        return DiagonalSpread(np.sqrt((1 - share) * variance + share * variance.mean()))
    if moments.form in BY_ROWS:
        mu = moments.squares.sum() / (f * moments.mean.shape[1])
        return mixed_spread(
            moments, np.full(len(moments.mass), (1 - shrinkage) / f), shrinkage * mu
        )
    return Spread.shrunk(moments.pooled / f, negligible, shrinkage)


def mixed_spread(moments: ClassMoments, factors: Array, floor: float = 0.0) -> RowSpread:
    """Σ = Σ_k a_k S_k + φI with factors a (K,), of scatters S_k that are kept as rows."""
    R: Deviations = moments.scatter
    return RowSpread(R, factors[R.codes], moments.negligible * np.sqrt(moments.total), floor)


def is_singular(spread: AnySpread, d: int) -> bool:
    """Known of fewer rows than features without factoring their covariance for its rank."""
    return not spread.beside if isinstance(spread, RowSpread) else spread.rank < d


def missing_rank(rank: int, d: int) -> str:
    return (
        f"the covariance within the classes has rank {rank} of {d}; "
        "directions without variance are left out (pseudo-inverse)"
    )


class TiedCovariances:
    """The covariance that classes share, of each fold of a stack, with a leading axis.

    `spreads` are those of the folds, `covariances` their Σ (F, d, d) if they are full and unshrunk. These are
    stacked, with whiteners of a lower rank filled up with zeros, so products with them are products of stacks. Other
    types are applied fold by fold.
    """

    def __init__(
        self,
        stack: ClassMoments,
        ddof: int,
        covariance_type: str = "full",
        shrinkage: float = 0.0,
    ):
        self.covariances: Array | None = None
        self.spreads: list[AnySpread]
        if stack.form == "tied" and not shrinkage:
            self.covariances = stack.pooled / degrees_of_freedom(stack, ddof)[:, None, None]
            self.spreads = list(Spread.of_covariances(self.covariances, stack.negligible))
        else:
            options = ddof, covariance_type, shrinkage
            self.spreads = [tied_spread(fold, *options) for fold in stack.split()]
        self.ranks = [spread.rank for spread in self.spreads]

    @cached_property
    def whiteners(self) -> Array:
        """(F, d, r) of unshrunk spreads."""
        first = self.spreads[0]
        if len(self.spreads) == 1 and isinstance(first, Spread):
            return first.whitener[None]
        spreads = [spread for spread in self.spreads if isinstance(spread, Spread)]
        width = max(self.ranks)
        W = np.zeros((len(spreads), len(spreads[0].whitener), width))
        for own, spread in zip(W, spreads, strict=True):
            own[:, : spread.rank] = spread.whitener
        return W

    def whiten(self, M: Array) -> Array:
        """Rows of M (F, K, d) in coordinates in which Σ of their fold is the identity."""
        return self._each("whiten", M) if self.covariances is None else M @ self.whiteners

    def solve(self, M: Array) -> Array:
        """Σ⁺m of each row."""
        if self.covariances is None:
            return self._each("solve", M)
        return M @ self.whiteners @ np.swapaxes(self.whiteners, 1, 2)

    def directions(self, V: Array) -> Array:
        """Directions of whitened coordinates V (F, q, r) in those of the features."""
        if self.covariances is None:
            return self._each("directions", V)
        return V @ np.swapaxes(self.whiteners, 1, 2)

    def times(self, theta: Array) -> Array:
        """Σθ of each row."""
        return self._each("times", theta) if self.covariances is None else theta @ self.covariances

    def _each(self, method: str, M: Array) -> Array:
        if len(M) == 1:
            alone: Array = getattr(self.spreads[0], method)(M[0])
            return alone[None]
        pairs = zip(self.spreads, M, strict=True)
        return np.stack([getattr(spread, method)(own) for spread, own in pairs])
