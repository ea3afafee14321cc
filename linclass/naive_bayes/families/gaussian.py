"""Gaussian families: of independent features, with one variance for all of them, and with a full covariance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import BLOCK, Array, Index, Matrix
from linclass.base.documentation import documented
from linclass.discriminant.class_moments import NEGLIGIBLE_DEVIATION, placed
from linclass.naive_bayes.families.base import Family, as_dense

MAX_MAGNITUDE = 1e150  # from the origin: its square does not overflow
# terms of the squares of sparse rows, above which their sum loses more than four digits
CANCEL = 1e4
LOG_2PI = np.log(2 * np.pi)
FLOOR = 1e-12  # share of the overall variance below which a variance is rounding error
LEAST_EIGENVALUE = 1e-8  # of the correlations; the error of scores is rounding divided by it


class AboutMeans(Family):
    """Base of families of squares: T(x) is of x − origin, and sums of it are about the mean of each class.

    A variance is a difference of squares, which loses the digits that a mean has more than its deviations. So the
    sums of a class are of T(x − c_k), with its own mean for c_k; θ_k, and so the scores, are about one origin for all
    classes. Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance

    Parameters
    ----------
    origin : float or array of shape (d,)
        Origin of x in T, near the mean of the rows.
    centres : array of shape (K, d) or None
        Points that the sums of each class are about, near its mean, NaN for a class without rows. None is the origin.
    """

    support: ClassVar[str] = "reals"

    def __init__(self, origin: Array | float = 0.0, centres: Array | None = None):
        self.origin = origin
        self.centres = centres

    @property
    def about(self) -> Any:
        """The points that the sums of each class are about, (K, d) or in the shape of the origin."""
        if self.centres is None:
            return self.origin
        return np.where(np.isnan(self.centres), self.origin, self.centres)

    @property
    def offset(self) -> Any:
        """The centres relative to the origin."""
        return 0.0 if self.centres is None else self.about - self.origin

    @property
    def size(self) -> Any:
        """The largest size of a centre, for each feature: deviations carry its rounding error."""
        size = np.abs(self.about)
        return size if self.centres is None else size.max(axis=0)

    def fitted(self, X: Matrix) -> Self:
        """The family with the mean of these rows as origin."""
        return type(self)(np.asarray(X.mean(axis=0)).ravel())

    def fitted_to(self, X: Matrix, codes: Array, weights: Array, K: int) -> Self:
        n = len(codes)
        belongs = sp.csc_array((weights, codes, np.arange(n + 1)), (K, n))
        with np.errstate(invalid="ignore"):
            means = as_dense(belongs @ X) / np.bincount(codes, weights, K)[:, None]
        return type(self)(self.fitted(X).origin, means)

    def of_rows(self, codes: Array) -> Self:
        return type(self)(self.origin if self.centres is None else self.about[codes])

    def of_classes(self, kept: Index) -> Self:
        return self if self.centres is None else type(self)(self.origin, self.centres[kept])

    def among(self, places: Array, K: int) -> Self:
        if self.centres is None:
            return self
        return type(self)(self.origin, placed(self.centres, places, K, absent=np.nan))

    def joined(self, other: Self) -> Self:
        """The family with the centres of `other` for classes that have none here."""
        if self.centres is None or other.centres is None:
            return self
        absent = np.isnan(self.centres)
        return type(self)(self.origin, np.where(absent, other.centres, self.centres))

    def smoothed(self, mass: Array, sums: Array, smoothing: float) -> Array:
        """Rows of the overall mean of T, which has one origin for all classes, are added about the class's own."""
        if self.centres is None or not smoothing:
            return super().smoothed(mass, sums, smoothing)
        common = type(self)(self.origin)
        everywhere = self.rebased(common, mass, sums).sum(axis=0, keepdims=True) / mass.sum()
        everywhere = np.repeat(everywhere, len(mass), axis=0)
        more = common.rebased(self, np.ones(len(mass)), everywhere)
        return (sums + smoothing * more) / (mass + smoothing)[:, None]


@documented
class Gaussian(AboutMeans):
    """Independent Gaussian features with means μ and variances σ².

    T(x) = (x, x²),  θ = (μ/σ², −1/2σ²),  A(θ) = Σ_j −θ₁²/4θ₂ − ½ ln(−2θ₂),  h = (2π)^{−d/2}.

    So the boundary between two classes is quadratic. x stands for x − origin throughout, which avoids cancellation.
    `smoothing` (1e-6 by default) times its variance within classes is added to the variance of a feature in each class;
    where that is 0, times its overall variance.
    Hastie, Tibshirani & Friedman (2009), §6.6.3
    """

    smoothing: ClassVar[float] = 1e-6

    def statistic(self, X: Matrix) -> Iterator[Any]:
        """The statistic of dense rows; for sparse rows `inner` uses it without filling their zeros."""
        D = as_dense(X) - self.origin
        np.clip(D, -MAX_MAGNITUDE, MAX_MAGNITUDE, out=D)
        yield D
        yield self._pooled(D**2)

    def _pooled(self, squares: Array) -> Array:
        """The squares in T, of each feature."""
        return squares

    def _parts(self, theta: Array) -> tuple[Array, Array]:
        """The part of x, and that of its squares."""
        d = theta.shape[-1] // 2
        return theta[..., :d], theta[..., d:]

    def _moments(self, mean: Array) -> tuple[Array, Array]:
        """(mean of x − origin, variance)."""
        first, second = self._parts(mean)
        return first, second - first**2

    def inner(self, X: Matrix, theta: Array) -> Array:
        """θ·T(x). For sparse rows (x − c)² = x(x − 2c) + c², whose first term is 0 where x is, unless that cancels."""
        first, second = self._parts(theta)
        second = np.broadcast_to(second, first.shape)
        if not sp.issparse(X):
            Z = self._inner_of_dense(X, first, second, self.origin)
            return Z if np.isfinite(Z).all() else super().inner(X, theta)
        c = np.broadcast_to(self.origin, X.shape[1])
        terms = np.abs(second * c**2).max(axis=0) + np.abs(first * c).max(axis=0)
        if not (cancels := terms > CANCEL).any():
            return self._inner_of_sparse(X, first, second, c)
        far = np.flatnonzero(cancels)
        Z = self._inner_of_dense(X[:, far], first[:, far], second[:, far], c[far])
        first, second = np.where(cancels, 0, first), np.where(cancels, 0, second)
        return Z + self._inner_of_sparse(X, first, second, c)

    def _inner_of_sparse(self, X: Any, first: Array, second: Array, c: Array) -> Array:
        x = np.clip(X.data, -MAX_MAGNITUDE, MAX_MAGNITUDE)
        near, square = (
            sp.csr_array((data, X.indices, X.indptr), X.shape)
            for data in (x, x * (x - 2 * c[X.indices]))
        )
        Z: Array = near @ first.T + square @ second.T + (second @ c**2 - first @ c)
        return Z

    def _inner_of_dense(self, X: Matrix, first: Array, second: Array, c: Array | float) -> Array:
        """θ·T(x) by dense blocks of rows; squares that overflow become infinite without a warning."""
        n = X.shape[0]
        Z = np.empty((n, len(first)))
        with np.errstate(over="ignore", invalid="ignore"):
            for begin in range(0, n, BLOCK):
                block = slice(begin, begin + BLOCK)
                D = as_dense(X[block]) - c
                Z[block] = D @ first.T
                D *= D
                Z[block] += D @ second.T
        return Z

    def natural(self, mean: Array) -> Array:
        first, variance = self._moments(mean)
        return self.of_moments(first + self.about, variance)

    def of_moments(self, mean: Array, variance: Array) -> Array:
        """θ from the mean and variance of x itself."""
        return np.concatenate([(mean - self.origin) / variance, -0.5 / variance], axis=-1)

    def log_normalizer(self, theta: Array) -> Array:
        first, second = self._parts(theta)
        return (-(first**2) / (4 * second) - 0.5 * np.log(-2 * second)).sum(axis=-1)

    def rebased(self, other: Self, mass: Array, sums: Array) -> Array:
        """Σ(x − c′) = Σ(x − c) + n(c − c′), and the same for squares."""
        first, second = self._parts(sums)
        shift, n = self.about - other.about, mass[..., None]
        more = self._pooled(shift * (2 * first + n * shift))
        return np.concatenate([first + n * shift, second + more], axis=-1)

    def variances(self, mean: Array) -> tuple[Array, Array]:
        first, second = self._parts(mean)
        return second - first**2, second + negligible_square(self.size) / FLOOR

    def smoothed(self, mass: Array, sums: Array, smoothing: float) -> Array:
        mean = sums / mass[..., None]
        first, second = self._parts(mean)
        sums = sums if self.centres is None else self.rebased(type(self)(self.origin), mass, sums)
        everywhere = sums.sum(axis=-2, keepdims=True) / mass.sum(axis=-1)[..., None, None]
        overall = np.maximum(self._moments(everywhere)[1], 0)
        usual = usual_variance(mass, self._moments(mean)[1], overall)
        more = smoothing * self._pooled(np.broadcast_to(usual, first.shape))
        return np.concatenate([first, second + more], axis=-1)

    def inside(self, mean: Array) -> tuple[Array, Array]:
        """A variance of 0 is replaced by FLOOR times the classes' largest second moment, or by 1."""
        first, second = self._parts(mean)
        usual = about_middle(first, second, self.offset).max(axis=-2, keepdims=True)
        floor = np.where(usual > negligible_square(self.size), FLOOR * usual, 1)
        low = second - first**2 < floor
        return np.concatenate([first, np.where(low, first**2 + floor, second)], axis=-1), low


@documented
class SphericalGaussian(Gaussian):
    """Gaussian with mean μ and one variance σ² for all its features.

    T(x) = (x, ‖x‖²),  θ = (μ/σ², −1/2σ²),  A(θ) = −‖θ₁‖²/4θ₂ − (d/2) ln(−2θ₂),  h = (2π)^{−d/2}.

    The boundary between two classes is a sphere; with equal variances, the plane midway.
    `smoothing` (1e-6 by default) times the variance within classes is added to that of each class; where that is 0,
    times the variance of all rows.
    """

    def _pooled(self, squares: Array) -> Array:
        return squares.sum(axis=-1, keepdims=True)

    def _parts(self, theta: Array) -> tuple[Array, Array]:
        return theta[..., :-1], theta[..., -1:]

    def _moments(self, mean: Array) -> tuple[Array, Array]:
        first, second = self._parts(mean)
        return first, (second - self._pooled(first**2)) / first.shape[-1]

    def variances(self, mean: Array) -> tuple[Array, Array]:
        return self._moments(mean)[1], mean[..., -1:]

    def inside(self, mean: Array) -> tuple[Array, Array]:
        first, variance = self._moments(mean)
        far = ((first + self.offset) ** 2).mean(axis=-1, keepdims=True)
        usual = (variance + far).max(axis=-2, keepdims=True)
        floor = np.where(usual > np.mean(negligible_square(self.size)), FLOOR * usual, 1)
        low = variance < floor
        lifted = mean[..., -1:] + first.shape[-1] * np.where(low, floor - variance, 0)
        return np.concatenate([first, lifted], axis=-1), np.broadcast_to(low, first.shape)


@documented
class MultivariateGaussian(AboutMeans):
    """Gaussian of dependent features, with mean μ and full covariance Σ.

    T(x) = (x, xxᵀ),  θ = (Σ⁻¹μ, −½Σ⁻¹),  A(θ) = −¼ θ₁ᵀΘ₂⁻¹θ₁ − ½ ln det(−2Θ₂),  h = (2π)^{−d/2}.

    Θ₂ is the symmetric part of θ₂ read as a d × d matrix; x stands for x − origin, as in Gaussian.
    Quadratic discriminant analysis is this family in each class; it works from the same moments,
    without writing xxᵀ down. `smoothing` (0 by default) rows of the mean of T over all rows are added
    to each class.   Wainwright & Jordan (2008), example 3.3
    """

    def statistic(self, X: Matrix) -> Iterator[Any]:
        D = as_dense(X) - self.origin
        yield D
        yield (D[:, :, None] * D[:, None, :]).reshape(len(D), D.shape[1] ** 2)

    def natural(self, mean: Array) -> Array:
        first, second = _parts(mean)
        precision = np.linalg.inv(second - _outer(first, first))
        mean = first + self.offset
        return _flat((precision @ mean[..., None])[..., 0], -0.5 * precision)

    def log_normalizer(self, theta: Array) -> Array:
        first, second = _parts(theta)
        quadratic = (first * np.linalg.solve(second, first[..., None])[..., 0]).sum(axis=-1)
        return -quadratic / 4 - 0.5 * np.linalg.slogdet(-2 * second)[1]

    def rebased(self, other: Self, mass: Array, sums: Array) -> Array:
        first, second = _parts(sums)
        shift, n = np.broadcast_to(self.about - other.about, first.shape), mass[..., None]
        moved = second + _outer(shift, first) + _outer(first + n * shift, shift)
        return _flat(first + n * shift, moved)

    def variances(self, mean: Array) -> tuple[Array, Array]:
        first, second = _parts(mean)
        square = np.diagonal(second, axis1=-2, axis2=-1)
        return square - first**2, square + negligible_square(self.size) / LEAST_EIGENVALUE

    def inside(self, mean: Array) -> tuple[Array, Array]:
        """Variances get LEAST_EIGENVALUE of the classes' largest where the correlations have no inverse."""
        first, second = _parts(mean)
        squares = np.diagonal(second, axis1=-2, axis2=-1)
        usual = about_middle(first, squares, self.offset).max(axis=-2)
        usual = np.where(usual > negligible_square(self.size), usual, 1)
        covariance = (second - _outer(first, first)) / np.sqrt(_outer(usual, usual))
        low = np.linalg.eigvalsh(covariance)[..., :1] < LEAST_EIGENVALUE
        second = second + np.where(low[..., None], 2 * LEAST_EIGENVALUE * np.diag(usual), 0)
        return _flat(first, second), np.broadcast_to(low, first.shape)


def _parts(theta: Array) -> tuple[Array, Array]:
    """(…, d + d²) → (…, d), symmetric (…, d, d)."""
    d = int(np.sqrt(theta.shape[-1]))
    second = theta[..., d:].reshape(*theta.shape[:-1], d, d)
    return theta[..., :d], (second + np.swapaxes(second, -1, -2)) / 2


def _flat(first: Array, second: Array) -> Array:
    return np.concatenate([first, second.reshape(*first.shape[:-1], -1)], axis=-1)


def _outer(a: Array, b: Array) -> Array:
    return a[..., :, None] * b[..., None, :]


def negligible_square(size: Array | float) -> Array:
    """Square of a deviation that is rounding error, for values of this size."""
    return (NEGLIGIBLE_DEVIATION * np.abs(size)) ** 2


def about_middle(first: Array, second: Array, offset: Array | float) -> Array:
    """Second moments (…, K, d) about the middle of the class means, wherever the origin is."""
    mean = first + offset
    return second - first**2 + (mean - mean.mean(axis=-2, keepdims=True)) ** 2


def usual_variance(mass: Array, variances: Array, overall: Array) -> Array:
    """The mean variance (…, 1, d) within classes, however far apart they are; the overall one where that is 0."""
    shares = (mass / mass.sum(axis=-1, keepdims=True))[..., None]
    within = (shares * variances).sum(axis=-2, keepdims=True)
    return np.where(within > FLOOR * overall, within, overall)
