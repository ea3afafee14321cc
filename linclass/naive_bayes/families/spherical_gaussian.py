"""Gaussian with mean μ and one variance σ² for all its features.

T(x) = (x, ‖x‖²),  θ = (μ/σ², −1/2σ²),  A(θ) = −‖θ₁‖²/4θ₂ − (d/2) ln(−2θ₂),  h = (2π)^{−d/2}.

The boundary between two classes is a sphere; with equal variances, the plane midway.
`smoothing` (1e-6 by default) times the variance within classes is added to that of each class; where that is 0, times
the variance of all rows.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import Matrix
from linclass.naive_bayes.families._about_means import AboutMeans
from linclass.naive_bayes.families.base import as_dense
from linclass.naive_bayes.families.gaussian import FLOOR, LOG_2PI, negligible_square, usual_variance


class SphericalGaussian(AboutMeans):
    """Gaussian with one variance for all features; x stands for x − origin, as in Gaussian.

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
        D = as_dense(X) - self.origin
        yield D
        yield (D**2).sum(axis=1, keepdims=True)

    def natural(self, mean: np.ndarray) -> np.ndarray:
        first, variance = self._moments(mean)
        return np.concatenate([(first + self.offset) / variance, -0.5 / variance], axis=-1)

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        first, second = theta[..., :-1], theta[..., -1]
        d = first.shape[-1]
        return -(first**2).sum(axis=-1) / (4 * second) - 0.5 * d * np.log(-2 * second)

    def log_carrier(self, X: Matrix) -> np.ndarray:
        return np.full(X.shape[0], -0.5 * LOG_2PI * X.shape[1])

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        first, second = theta[:-1], theta[-1]
        mean = self.origin - first / (2 * second)
        return rng.normal(mean, np.sqrt(-0.5 / second), size=(rows, len(first)))

    def rebased(self, other: Self, mass: np.ndarray, sums: np.ndarray) -> np.ndarray:
        first, second = sums[..., :-1], sums[..., -1:]
        shift, n = self.about - other.about, mass[..., None]
        second = second + ((2 * first + n * shift) * shift).sum(axis=-1, keepdims=True)
        return np.concatenate([first + n * shift, second], axis=-1)

    def variances(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._moments(mean)[1], mean[..., -1:]

    def smoothed(self, mass: np.ndarray, sums: np.ndarray, smoothing: float) -> np.ndarray:
        mean = sums / mass[..., None]
        sums = sums if self.centres is None else self.rebased(type(self)(self.origin), mass, sums)
        everywhere = sums.sum(axis=-2, keepdims=True) / mass.sum(axis=-1)[..., None, None]
        usual = usual_variance(mass, self._moments(mean)[1], self._moments(everywhere)[1])
        mean[..., -1:] += smoothing * mean[..., :-1].shape[-1] * usual
        return mean

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        first, variance = self._moments(mean)
        far = ((first + self.offset) ** 2).mean(axis=-1, keepdims=True)
        usual = (variance + far).max(axis=-2, keepdims=True)
        floor = np.where(usual > np.mean(negligible_square(self.size)), FLOOR * usual, 1)
        low = variance < floor
        lifted = mean[..., -1:] + first.shape[-1] * np.where(low, floor - variance, 0)
        return np.concatenate([first, lifted], axis=-1), np.broadcast_to(low, first.shape)

    def _moments(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(mean of x − origin (…, d), σ² (…, 1))."""
        first, second = mean[..., :-1], mean[..., -1:]
        return first, (second - (first**2).sum(axis=-1, keepdims=True)) / first.shape[-1]
