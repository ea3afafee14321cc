"""The covariance that classes share, from their moments: degrees of freedom, shape and shrinkage.

    Σ = (1 − α) S/f + α μ I,   μ = tr S/(f d),   f = N − K ('unbiased') or N ('maximum_likelihood'),

with S the scatter within the classes: the whole matrix, its diagonal, or the mean of its diagonal.
"""

from numbers import Real
from typing import Any

import numpy as np

from linclass.base.arrays import Matrix
from linclass.base.messages import NotApplicable, require_memory
from linclass.discriminant.statistics.class_moments import BY_ROWS, ClassMoments
from linclass.discriminant.statistics.deviations import Deviations
from linclass.discriminant.statistics.diagonal_spread import DiagonalSpread
from linclass.discriminant.statistics.row_spreads import DualSpread, SpanSpread
from linclass.discriminant.statistics.shrunk_spread import ShrunkSpread
from linclass.discriminant.statistics.spread import Spread

LOST = {"unbiased": 1, "maximum_likelihood": 0}  # degrees of freedom per class mean
SHAPES = ("full", "diagonal", "spherical")
RowSpread = SpanSpread | DualSpread
AnySpread = Spread | DiagonalSpread | ShrunkSpread | RowSpread


def check_covariance(covariance: object) -> None:
    if covariance not in LOST:
        raise ValueError(
            f"covariance is {covariance!r}; it must be 'unbiased' (over N − K) or "
            "'maximum_likelihood' (over N)."
        )


def check_shape(shape: object) -> None:
    if shape not in SHAPES:
        raise ValueError(f"shape is {shape!r}; it must be one of {', '.join(map(repr, SHAPES))}.")


def check_share(name: str, value: object, otherwise: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name} is {value!r}; it must be a number from 0 to 1{otherwise}.")


def tied_form(X: Matrix, K: int, shape: str, owner: str) -> str:
    """The form of the scatter: the matrix or the rows, whichever is smaller."""
    if shape != "full":
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
        "or use covariance='maximum_likelihood'."
    )


def freedom(moments: ClassMoments, covariance: str) -> Any:
    """The divisor f of the scatter; for stacked moments one per fold."""
    left = moments.total - LOST[covariance] * moments.present
    if left.min() > 0:
        return left
    if moments.squares.any():
        raise too_little_weight(float(np.min(moments.total)))
    return np.where(left > 0, left, 1.0)  # one row in each class: the scatter is 0 then


def tied_spread(
    moments: ClassMoments, covariance: str, shape: str = "full", shrinkage: float = 0.0
) -> AnySpread:
    f = freedom(moments, covariance)
    negligible = moments.negligible
    if moments.form == "diagonal":
        return _diagonal(moments.pooled / f, negligible, shape, shrinkage)
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


def mixed_spread(moments: ClassMoments, factors: np.ndarray, floor: float = 0.0) -> RowSpread:
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


def _diagonal(
    variance: np.ndarray, negligible: np.ndarray, shape: str, shrinkage: float
) -> DiagonalSpread:
    variance = np.where(variance > negligible**2, variance, 0)
    if shape == "spherical":
        shrinkage = 1.0
    return DiagonalSpread(np.sqrt((1 - shrinkage) * variance + shrinkage * variance.mean()))


def freedom_of_classes(moments: ClassMoments, covariance: str) -> np.ndarray:
    """The divisor n_k − 1 or n_k of the scatter of each class, also of a stack."""
    f = moments.mass - LOST[covariance]
    few = f <= 0
    if few.any():
        variance = moments.squares
        rounding = moments.mass[..., None] * moments.negligible[..., None, :] ** 2
        if (lost := few & (variance > rounding).any(axis=-1)).any():
            raise NotApplicable(
                f"the weights of a class count n_k = {moments.mass[lost][0]:g} rows, so n_k − 1 is not positive; add "
                "rows, scale frequency weights up, or use covariance='maximum_likelihood'."
            )
    return np.where(few, 1.0, f)  # one row: the scatter is 0, whatever its divisor


def missing_rank(rank: int, d: int) -> str:
    return (
        f"the covariance within the classes has rank {rank} of {d}; "
        "directions without variance are left out (pseudo-inverse)"
    )
