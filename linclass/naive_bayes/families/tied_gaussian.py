"""Gaussians that share one covariance Σ, given by its factors: full, diagonal or spherical.

T(x) = x,  θ = Σ⁻¹μ,  A(θ) = ½ θᵀΣθ,  h = N(x; 0, Σ).

What all classes share moves into the carrier, so the boundary is linear. That is linear
discriminant analysis; with a diagonal Σ, naive Bayes with tied variances; with Σ = I, the nearest
mean.   Hastie, Tibshirani & Friedman (2009), §4.3
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Matrix
from linclass.discriminant.statistics.covariance import AnySpread
from linclass.discriminant.statistics.tied_covariances import TiedCovariances
from linclass.naive_bayes.families.base import Family
from linclass.naive_bayes.families.gaussian import LOG_2PI


class TiedGaussian(Family):
    """Gaussians with a common covariance.

    Parameters
    ----------
    spread : Spread, DiagonalSpread, ShrunkSpread or TiedCovariances
        The covariance, in factors.
    """

    support: ClassVar[str] = "reals"

    def __init__(self, spread: AnySpread | TiedCovariances):
        self.spread = spread

    def statistic(self, X: Matrix) -> Iterator[Any]:
        yield X

    def natural(self, mean: np.ndarray) -> np.ndarray:
        return self.spread.solve(mean)

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        return 0.5 * self._single.lengths(theta)

    def of_means(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(θ, A(θ)) of means; A is half the squared length of the whitened mean."""
        return self.natural(mean), 0.5 * (self.spread.whiten(mean) ** 2).sum(axis=-1)

    def log_carrier(self, X: Matrix) -> np.ndarray:
        """ln N(x; 0, Σ); without full rank, over the directions with variance."""
        spread = self._single
        squares = (spread.whiten(X) ** 2).sum(axis=1)
        return -0.5 * (squares + spread.rank * LOG_2PI) - 0.5 * spread.log_volume

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        return self._single.times(theta[None]) + self._single.noise(rows, rng)

    @property
    def _single(self) -> AnySpread:
        assert not isinstance(self.spread, TiedCovariances), "covariances of several folds"
        return self.spread
