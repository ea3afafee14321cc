"""Gaussian of dependent features, with mean μ and full covariance Σ.

T(x) = (x, xxᵀ),  θ = (Σ⁻¹μ, −½Σ⁻¹),  A(θ) = −¼ θ₁ᵀΘ₂⁻¹θ₁ − ½ ln det(−2Θ₂),  h = (2π)^{−d/2}.

Θ₂ is the symmetric part of θ₂ read as a d × d matrix; x stands for x − origin, as in Gaussian.
Quadratic discriminant analysis is this family in each class; it works from the same moments,
without writing xxᵀ down. `smoothing` (0 by default) rows of the mean of T over all rows are added
to each class.   Wainwright & Jordan (2008), example 3.3
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import Matrix
from linclass.naive_bayes.families._about_means import AboutMeans
from linclass.naive_bayes.families.base import as_dense
from linclass.naive_bayes.families.gaussian import LOG_2PI, about_middle, negligible_square

# least eigenvalue of the correlations; the error of scores is rounding divided by it
FLOOR = 1e-8


class MultivariateGaussian(AboutMeans):
    """Gaussian with a full covariance.

    Parameters
    ----------
    origin : float or array of shape (d,), default=0.0
        Origin of x in T, near the mean of the rows.
    centres : array of shape (K, d) or None, default=None
        What the sums of each class are about; None is the origin.
    """

    support: ClassVar[str] = "reals"

    def statistic(self, X: Matrix) -> Iterator[Any]:
        D = as_dense(X) - self.origin
        yield D
        yield (D[:, :, None] * D[:, None, :]).reshape(len(D), -1)

    def natural(self, mean: np.ndarray) -> np.ndarray:
        first, second = _parts(mean)
        precision = np.linalg.inv(second - _outer(first, first))
        mean = first + self.offset
        return _flat((precision @ mean[..., None])[..., 0], -0.5 * precision)

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        first, second = _parts(theta)
        quadratic = (first * np.linalg.solve(second, first[..., None])[..., 0]).sum(axis=-1)
        return -quadratic / 4 - 0.5 * np.linalg.slogdet(-2 * second)[1]

    def log_carrier(self, X: Matrix) -> np.ndarray:
        return np.full(X.shape[0], -0.5 * LOG_2PI * X.shape[1])

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        first, second = _parts(theta)
        covariance = np.linalg.inv(-2 * second)
        noise = rng.standard_normal((rows, len(first)))
        return self.origin + covariance @ first + noise @ np.linalg.cholesky(covariance).T

    def rebased(self, other: Self, mass: np.ndarray, sums: np.ndarray) -> np.ndarray:
        first, second = _parts(sums)
        shift, n = np.broadcast_to(self.about - other.about, first.shape), mass[..., None]
        moved = second + _outer(shift, first) + _outer(first + n * shift, shift)
        return _flat(first + n * shift, moved)

    def variances(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        first, second = _parts(mean)
        square = np.diagonal(second, axis1=-2, axis2=-1)
        return square - first**2, square + negligible_square(self.size) / FLOOR

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Variances get FLOOR of the classes' largest where the correlations have no inverse."""
        first, second = _parts(mean)
        squares = np.diagonal(second, axis1=-2, axis2=-1)
        usual = about_middle(first, squares, self.offset).max(axis=-2)
        usual = np.where(usual > negligible_square(self.size), usual, 1)
        covariance = (second - _outer(first, first)) / np.sqrt(_outer(usual, usual))
        low = np.linalg.eigvalsh(covariance)[..., :1] < FLOOR
        second = second + np.where(low[..., None], 2 * FLOOR * np.diag(usual), 0)
        return _flat(first, second), np.broadcast_to(low, first.shape)


def _parts(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(…, d + d²) → (…, d), symmetric (…, d, d)."""
    d = int(np.sqrt(theta.shape[-1]))
    second = theta[..., d:].reshape(*theta.shape[:-1], d, d)
    return theta[..., :d], (second + np.swapaxes(second, -1, -2)) / 2


def _flat(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.concatenate([first, second.reshape(*first.shape[:-1], -1)], axis=-1)


def _outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., :, None] * b[..., None, :]
