"""The covariance of classes in factors, from their moments: degrees of freedom, type and shrinkage.

    Σ = (1 − α) S/f + α μ I,   μ = tr S/(f d),   f = N − ddof·K,

with S the scatter within the classes: the whole matrix, its diagonal, or the mean of its diagonal. Each kind of factors
(`Spread`, `DiagonalSpread`, `ShrunkSpread`, and those of row_spreads.py) has the same methods: `whiten` gives rows in
coordinates in which Σ is the identity, `solve` is Σ⁺, and `times` is Σ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array, Matrix, as_dense
from linclass.base.messages import NotApplicable, require_memory
from linclass.base.parameters import is_whole
from linclass.discriminant.class_moments import BY_ROWS, ClassMoments
from linclass.discriminant.row_spreads import Deviations, DualSpread, SpanSpread

NEGLIGIBLE_EIGENVALUE = 1e-13  # eigenvalue of a correlation matrix, relative to d times the largest
LARGE = 1000  # features from which on a covariance costs more than a query of the memory


class Distances:
    """What all kinds of factors have in common that can whiten rows."""

    whiten: Callable[[Matrix], np.ndarray]

    def distances(self, X: Matrix, mean: np.ndarray) -> np.ndarray:
        """(x − m)ᵀΣ⁺(x − m) of rows X (n, d): squared lengths of whitened rows about m, without cancellation."""
        apart = self.whiten(as_dense(X) - mean)
        return np.einsum("ij,ij->i", apart, apart)


@dataclass(frozen=True)
class Spread(Distances):
    """Σ = FᵀF and Σ⁺ = WWᵀ with root F (r, d) and whitener W (d, r), r the rank.

    Columns are first scaled to unit variance, so that the rank does not depend on the units of the features. Without
    full rank Σ⁺ is the pseudo-inverse in those coordinates: directions without variance are left out.
    Golub & Van Loan (2013), §4.2, §5.5

    Without a `factor` the root is computed as the inverse of the triangular whitener, which halves the memory.
    """

    factor: np.ndarray | None
    whitener: np.ndarray
    known_volume: float | None = None  # ln det Σ, if a factorization gave it

    @property
    def rank(self) -> int:
        return self.whitener.shape[1]

    @property
    def root(self) -> np.ndarray:
        return lapack.dtrtri(self.whitener)[0] if self.factor is None else self.factor

    @property
    def log_volume(self) -> float:
        """ln det Σ; without full rank, over the directions with variance."""
        if self.known_volume is not None:
            return self.known_volume
        if self.rank == self.root.shape[1]:
            return 2 * float(np.linalg.slogdet(self.root)[1])
        return 2 * float(np.log(np.linalg.svd(self.root, compute_uv=False)).sum())

    def whiten(self, X: Matrix) -> np.ndarray:
        """Rows X (n, d) in coordinates (n, r) in which the covariance is the identity."""
        return X @ self.whitener

    def directions(self, V: np.ndarray) -> np.ndarray:
        """Directions of whitened coordinates V (q, r) in those of the features: x·directions(v) = whiten(x)·v."""
        return V @ self.whitener.T

    def unwhiten(self, Y: np.ndarray) -> np.ndarray:
        """The rows (q, d) with these whitened coordinates, without the directions without variance."""
        return Y @ self.root

    def times(self, theta: np.ndarray) -> np.ndarray:
        """Σθ of each row of theta (K, d)."""
        return theta @ self.root.T @ self.root

    def solve(self, mean: np.ndarray) -> np.ndarray:
        """Σ⁺m of each row of mean (K, d)."""
        return mean @ self.whitener @ self.whitener.T

    @classmethod
    def of_covariance(cls, C: np.ndarray, negligible: np.ndarray) -> Self:
        """Factors of Σ (d, d); a standard deviation up to `negligible` (d,) is rounding error."""
        return cls.of_covariances(C[None], negligible[None])[0]

    @classmethod
    def of_covariances(cls, C: np.ndarray, negligible: np.ndarray) -> list[Self]:
        """Factors of many Σ (n, d, d) at once, with `negligible` (n, d)."""
        scale = np.sqrt(np.maximum(np.diagonal(C, axis1=1, axis2=2), 0))
        scale = np.where(scale > negligible, scale, 0)  # 0 for a column without variance
        weight = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
        return list(map(cls._of_one, C, scale, weight))

    @classmethod
    def _of_one(cls, C: np.ndarray, scale: np.ndarray, weight: np.ndarray) -> Self:
        """Factors by Cholesky's factorization if it determines the rank; otherwise by eigenvectors."""
        L, indefinite = lapack.dpotrf(C.T, lower=1, clean=1)
        if not indefinite and weight.all():
            inverse, _ = lapack.dtrtri(L, lower=1)
            unit = inverse.T * scale[:, None]  # of the correlation matrix Q, Σ = scale·Q·scale
            # ‖Q‖ ≤ d and ‖Q⁻¹‖ ≤ ‖unit‖², so nothing ill-conditioned passes
            if len(C) * np.vdot(unit, unit) * (NEGLIGIBLE_EIGENVALUE * len(C)) < 1:
                return cls(None, inverse.T, 2 * float(np.log(L.diagonal()).sum()))
        Q = C * np.multiply.outer(weight, weight)  # correlations, 0 for columns without variance
        values, vectors = np.linalg.eigh(Q)
        V = vectors.T
        kept = values > max(values.max(initial=0) * (NEGLIGIBLE_EIGENVALUE * len(C)), 0)
        root = np.sqrt(values[kept])[:, None]
        return cls(root * V[kept] * scale, weight[:, None] * (V[kept] / root).T)


@dataclass(frozen=True)
class DiagonalSpread(Distances):
    """Σ = diag(deviation²), of which only d numbers are kept; a feature with deviation 0 is left out of the inverse."""

    deviation: np.ndarray

    @property
    def rank(self) -> int:
        return int(np.count_nonzero(self.deviation))

    @property
    def log_volume(self) -> float:
        return 2 * float(np.log(self.deviation[self.deviation > 0]).sum())

    def whiten(self, X: Matrix) -> np.ndarray:
        return X * self._inverse

    def times(self, theta: np.ndarray) -> np.ndarray:
        return theta * self.deviation**2

    def solve(self, mean: np.ndarray) -> np.ndarray:
        return mean * self._inverse**2

    @property
    def _inverse(self) -> np.ndarray:
        spread = self.deviation > 0
        return np.divide(1, self.deviation, out=np.zeros_like(self.deviation), where=spread)


@dataclass(frozen=True)
class ShrunkSpread(Distances):
    """Σ = Σ_r values_r v_r v_rᵀ + floor·I, shrunk towards a multiple of the identity.

    The axes v (r, d) are orthonormal and may be fewer than d; all other directions have the variance `floor`, so few
    rows need no matrix (d, d). All shrinkages share the axes, so a path of them costs one factorization.
    Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices
    """

    values: np.ndarray  # (r,), at least 0
    axes: np.ndarray  # (r, d)
    floor: float

    @property
    def rank(self) -> int:
        full = self.floor > 0
        return self.axes.shape[1] if full else int(np.count_nonzero(self.values))

    @property
    def log_volume(self) -> float:
        """ln det Σ over the directions with variance."""
        rest, variances = self.axes.shape[1] - len(self.axes), self.values + self.floor
        known = np.log(variances[variances > 0]).sum()
        return float(known + rest * np.log(self.floor or 1.0))

    def whiten(self, X: Matrix) -> np.ndarray:
        """X Σ^{−½}."""
        return self._powers(X, -0.5)

    def times(self, theta: np.ndarray) -> np.ndarray:
        return self._powers(theta, 1)

    def solve(self, mean: np.ndarray) -> np.ndarray:
        return self._powers(mean, -1)

    def _powers(self, M: Any, power: float) -> np.ndarray:
        """M Σ^power, with 0 for directions without variance."""
        along = M @ self.axes.T
        new = np.where(self.values + self.floor > 0, self.values + self.floor, 1.0) ** power
        new = np.where(self.values + self.floor > 0, new, 0)
        if len(self.axes) == self.axes.shape[1]:
            return (along * new) @ self.axes
        rest = self.floor**power if self.floor > 0 else 0.0
        return rest * M + (along * (new - rest)) @ self.axes


AnySpread = Spread | DiagonalSpread | ShrunkSpread | SpanSpread | DualSpread


def check_ddof(ddof: object) -> None:
    if not is_whole(ddof, 0) or ddof not in (0, 1):
        raise ValueError(
            f"ddof is {ddof!r}; it must be 1, a degree of freedom for the mean of each class, or 0, maximum likelihood."
        )


def check_share(name: str, value: object, otherwise: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name} is {value!r}; it must be a number from 0 to 1{otherwise}.")


def tied_form(X: Matrix, K: int, covariance_type: str, owner: str) -> str:
    """The form of the scatter: the matrix or the rows, whichever is smaller."""
    if covariance_type != "full":
        return "diagonal"
    n, d = X.shape
    if n - K < d:  # rows about the means of K classes have fewer dimensions than features
        return "rows"
    if d > LARGE:
        require_memory(32 * d * d, f"{owner} needs a dense {d} × {d} covariance and its factors")
    return "tied"


def too_little_weight(total: float) -> NotApplicable:
    return NotApplicable(
        f"the rows have a total weight of N = {total:g}, so N − K is not positive; add rows, scale frequency weights "
        "up, or use ddof=0."
    )


def degrees_of_freedom(moments: ClassMoments, ddof: int) -> Any:
    """The divisor f of the scatter; for stacked moments one per fold."""
    f = moments.total - ddof * moments.present
    if f.min() > 0:
        return f
    if moments.squares.any():
        raise too_little_weight(float(np.min(moments.total)))
    return np.where(f > 0, f, 1.0)  # one row in each class: the scatter is 0 then


def degrees_of_freedom_by_class(moments: ClassMoments, ddof: int) -> np.ndarray:
    """The divisor n_k − ddof of the scatter of each class, also of a stack."""
    f = moments.mass - ddof
    few = f <= 0
    if few.any():
        variance = moments.squares
        rounding = moments.mass[..., None] * moments.negligible[..., None, :] ** 2
        if (lost := few & (variance > rounding).any(axis=-1)).any():
            raise NotApplicable(
                f"the rows of a class have a total weight of n_k = {moments.mass[lost][0]:g}, so n_k − 1 is not "
                "positive; add rows, scale frequency weights up, or use ddof=0."
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
    if shrinkage > 0:
        values, axes = moments.axes
        mu = values.sum() / (f * axes.shape[1])
        return ShrunkSpread((1 - shrinkage) * values / f, axes, shrinkage * mu)
    return Spread.of_covariance(moments.pooled / f, negligible)


def mixed_spread(
    moments: ClassMoments, factors: np.ndarray, floor: float = 0.0
) -> SpanSpread | DualSpread:
    """Σ = Σ_k a_k S_k + φI with factors a (K,), of scatters S_k that are kept as rows."""
    R: Deviations = moments.scatter
    D = factors[R.codes]
    if floor > 0:
        return DualSpread(R, D, floor)
    if not D.all():
        R, D = R.of_rows(D > 0), D[D > 0]
    return SpanSpread(R, D, moments.negligible * np.sqrt(moments.total))


def is_singular(spread: AnySpread, d: int) -> bool:
    """Known of a SpanSpread, which has fewer rows than features, without factoring it for its rank."""
    return isinstance(spread, SpanSpread) or spread.rank < d


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
        self, stack: ClassMoments, ddof: int, covariance_type: str = "full", shrinkage: float = 0.0
    ):
        self.covariances: Array | None = None
        self.spreads: Sequence[AnySpread]
        if stack.form != "tied" or shrinkage:
            options = ddof, covariance_type, shrinkage
            self.spreads = [tied_spread(fold, *options) for fold in stack.split()]
            self.ranks = [spread.rank for spread in self.spreads]
            return
        self.covariances = stack.pooled / degrees_of_freedom(stack, ddof)[:, None, None]
        self.spreads = spreads = Spread.of_covariances(self.covariances, stack.negligible)
        self.ranks = [spread.whitener.shape[1] for spread in spreads]
        if len(spreads) == 1:
            self.whiteners = spreads[0].whitener[None]  # (F, d, r)
            return
        self.whiteners = np.zeros((*self.covariances.shape[:2], max(self.ranks)))
        for own, spread in zip(self.whiteners, spreads, strict=True):
            own[:, : spread.rank] = spread.whitener

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
