"""Independent Gaussian features with means μ and variances σ².

T(x) = (x, x²),  θ = (μ/σ², −1/2σ²),  A(θ) = Σ_j −θ₁²/4θ₂ − ½ ln(−2θ₂),  h = (2π)^{−d/2}.

So the boundary between two classes is quadratic. x stands for x − origin throughout, which avoids cancellation.
`smoothing` (1e-6 by default) times its variance within classes is added to the variance of a feature in each class;
where that is 0, times its overall variance.
Hastie, Tibshirani & Friedman (2009), §6.6.3
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import BLOCK, Matrix
from linclass.discriminant.statistics.class_moments import NEGLIGIBLE
from linclass.naive_bayes.families._about_means import AboutMeans
from linclass.naive_bayes.families.base import as_dense

FAR = 1e150  # from the origin: its square does not overflow
# terms of the squares of sparse rows, above which their sum loses more than four digits
CANCEL = 1e4
LOG_2PI = np.log(2 * np.pi)
FLOOR = 1e-12  # share of the overall variance below which a variance is rounding error


class Gaussian(AboutMeans):
    """Independent Gaussian features.

    Parameters
    ----------
    origin : float or array of shape (d,), default=0.0
        Origin of x in T, near the mean of the rows.
    centres : array of shape (K, d) or None, default=None
        What the sums of each class are about; None is the origin.
    """

    support: ClassVar[str] = "reals"
    smoothing: ClassVar[float] = 1e-6

    def statistic(self, X: Matrix) -> Iterator[Any]:
        """For dense rows; sparse ones need T only in `inner`, which keeps their zeros."""
        D = as_dense(X) - self.origin
        np.clip(D, -FAR, FAR, out=D)
        yield D
        yield D**2

    def inner(self, X: Matrix, theta: np.ndarray) -> np.ndarray:
        """For sparse rows (x − c)² = x(x − 2c) + c², of which the first term is 0 where x is, unless that cancels."""
        first, second = _halves(theta)
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

    def _inner_of_sparse(
        self, X: Any, first: np.ndarray, second: np.ndarray, c: np.ndarray
    ) -> np.ndarray:
        x = np.clip(X.data, -FAR, FAR)
        near, square = (
            sp.csr_array((data, X.indices, X.indptr), X.shape)
            for data in (x, x * (x - 2 * c[X.indices]))
        )
        Z: np.ndarray = near @ first.T + square @ second.T + (second @ c**2 - first @ c)
        return Z

    def _inner_of_dense(
        self, X: Matrix, first: np.ndarray, second: np.ndarray, c: np.ndarray | float
    ) -> np.ndarray:
        """By dense blocks of rows; squares that overflow become infinite without a warning."""
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

    def natural(self, mean: np.ndarray) -> np.ndarray:
        first, second = _halves(mean)
        return self.of_moments(first + self.about, second - first**2)

    def of_moments(self, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """θ from the mean and variance of x itself."""
        return np.concatenate([(mean - self.origin) / variance, -0.5 / variance], axis=-1)

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        first, second = _halves(theta)
        return (-(first**2) / (4 * second) - 0.5 * np.log(-2 * second)).sum(axis=-1)

    def log_carrier(self, X: Matrix) -> np.ndarray:
        return np.full(X.shape[0], -0.5 * LOG_2PI * X.shape[1])

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        first, second = np.split(theta, 2)
        mean, deviation = self.origin - first / (2 * second), np.sqrt(-0.5 / second)
        return rng.normal(mean, deviation, size=(rows, len(first)))

    def rebased(self, other: Self, mass: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Σ(x − c′) = Σ(x − c) + n(c − c′), and the same for squares."""
        first, second = np.split(sums, 2, axis=-1)
        shift, n = self.about - other.about, mass[..., None]
        return np.concatenate([first + n * shift, second + shift * (2 * first + n * shift)], -1)

    def variances(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        first, second = _halves(mean)
        return second - first**2, second + negligible_square(self.size) / FLOOR

    def smoothed(self, mass: np.ndarray, sums: np.ndarray, smoothing: float) -> np.ndarray:
        mean = sums / mass[..., None]
        first, second = _halves(mean)
        sums = sums if self.centres is None else self.rebased(type(self)(self.origin), mass, sums)
        usual = usual_variance(mass, second - first**2, _overall(mass, sums))
        return np.concatenate([first, second + smoothing * usual], axis=-1)

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A variance of 0 is replaced by FLOOR times the classes' largest second moment, or by 1."""
        first, second = _halves(mean)
        usual = about_middle(first, second, self.offset).max(axis=-2, keepdims=True)
        floor = np.where(usual > negligible_square(self.size), FLOOR * usual, 1)
        low = second - first**2 < floor
        return np.concatenate([first, np.where(low, first**2 + floor, second)], axis=-1), low


def negligible_square(size: np.ndarray | float) -> np.ndarray:
    """Square of a deviation that is rounding error, for values of this size."""
    return (NEGLIGIBLE * np.abs(size)) ** 2


def about_middle(first: np.ndarray, second: np.ndarray, offset: np.ndarray | float) -> np.ndarray:
    """Second moments (…, K, d) about the middle of the class means, wherever the origin is."""
    mean = first + offset
    return second - first**2 + (mean - mean.mean(axis=-2, keepdims=True)) ** 2


def usual_variance(mass: np.ndarray, variances: np.ndarray, overall: np.ndarray) -> np.ndarray:
    """The mean variance (…, 1, d) within classes, however far apart they are; the overall one where that is 0."""
    shares = (mass / mass.sum(axis=-1, keepdims=True))[..., None]
    within = (shares * variances).sum(axis=-2, keepdims=True)
    return np.where(within > FLOOR * overall, within, overall)


def _overall(mass: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """The variance of each feature in all rows."""
    everywhere = sums.sum(axis=-2, keepdims=True) / mass.sum(axis=-1)[..., None, None]
    first, second = np.split(everywhere, 2, axis=-1)
    return np.maximum(second - first**2, 0)


def _halves(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    d = theta.shape[-1] // 2
    return theta[..., :d], theta[..., d:]
