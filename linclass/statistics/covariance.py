"""The covariance that classes share, from their moments: degrees of freedom, shape and shrinkage.

    Σ = (1 − α) S/f + α μ I,   μ = tr S/(f d),   f = N − K ('unbiased') or N ('maximum_likelihood'),

with S the scatter within the classes: the whole matrix, its diagonal, or the mean of its diagonal.
"""

from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.annotations import Matrix
from linclass.applicability import NotApplicable, require_memory
from linclass.statistics.class_moments import ClassMoments
from linclass.statistics.diagonal_spread import DiagonalSpread
from linclass.statistics.shrunk_spread import ShrunkSpread
from linclass.statistics.spread import Spread

LOST = {"unbiased": 1, "maximum_likelihood": 0}  # degrees of freedom per class mean
SHAPES = ("full", "diagonal", "spherical")
AnySpread = Spread | DiagonalSpread | ShrunkSpread


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
    n, d = X.shape
    if shape != "full":
        return "diagonal"
    wide = n - K < d
    if sp.issparse(X) or not wide:
        require_memory(4 * 8 * d * d, f"{owner} needs a dense {d} × {d} covariance and its factors")
    return "rows" if wide else "tied"


def too_little_weight(total: float) -> NotApplicable:
    return NotApplicable(
        f"weights sum to {total:g}, so N − K is not positive; weights count rows "
        "here. Scale them up, or use covariance='maximum_likelihood'."
    )


def freedom(moments: ClassMoments, covariance: str) -> Any:
    """The divisor f of the scatter; for stacked moments one per fold."""
    left = moments.total - LOST[covariance] * moments.present
    if left.min() > 0:
        return left
    if moments.pooled.any():
        raise too_little_weight(float(np.min(moments.total)))
    return np.where(left > 0, left, 1.0)  # one row in each class: the scatter is 0 then


def tied_spread(
    moments: ClassMoments, covariance: str, shape: str = "full", shrinkage: float = 0.0
) -> AnySpread:
    f = freedom(moments, covariance)
    negligible = moments.negligible
    if moments.form == "diagonal":
        return _diagonal(moments.pooled / f, negligible, shape, shrinkage)
    if shrinkage > 0:
        values, axes = moments.axes
        mu = values.sum() / (f * axes.shape[1])
        return ShrunkSpread((1 - shrinkage) * values / f, axes, shrinkage * mu)
    if moments.form == "rows":
        return Spread.of_rows(moments.pooled / np.sqrt(f), negligible)
    return Spread.of_covariance(moments.pooled / f, negligible)


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
        variance = np.diagonal(moments.scatter, axis1=-2, axis2=-1)
        rounding = moments.mass[..., None] * moments.negligible[..., None, :] ** 2
        if (lost := few & (variance > rounding).any(axis=-1)).any():
            raise NotApplicable(
                f"weights of a class sum to {moments.mass[lost][0]:g}, so n_k − 1 is not positive; weights count rows "
                "here. Scale them up, or use covariance='maximum_likelihood'."
            )
    return np.where(few, 1.0, f)  # one row: the scatter is 0, whatever its divisor


def missing_rank(rank: int, d: int) -> str:
    return (
        f"the covariance within the classes has rank {rank} of {d}; "
        "directions without variance are left out (pseudo-inverse)"
    )
