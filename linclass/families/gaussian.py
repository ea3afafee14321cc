"""Gaussians with a variance for each feature, and Gaussians that share one covariance.

Gaussian       T(x) = (x, x²), θ = (μ/σ², −1/2σ²), A(θ) = Σ_j (−θ₁²/4θ₂ − ½ ln(−2θ₂)): features are
               independent, and the boundary between two classes is quadratic.
TiedGaussian   T(x) = x, θ = Σ⁻¹μ, A(θ) = ½ θᵀΣθ: what all classes share moves into the carrier
               N(x; 0, Σ), and the boundary is linear. That is LDA; with Σ = I, the nearest mean.

Hastie, Tibshirani & Friedman (2009), §4.3
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from linclass.families.base import Family
from linclass.spread import Spread

FAR = 1e150  # from the origin: its square is still a number
LOG_2PI = np.log(2 * np.pi)


class Gaussian(Family):
    """x stands for x − origin throughout: squares near the middle of the data do not cancel."""

    support: ClassVar[str] = "reals"

    def __init__(self, origin: np.ndarray | float = 0.0):
        self.origin = origin

    def statistic(self, X: Any) -> Iterator[Any]:
        """Of dense rows; sparse ones meet T in `inner` alone, where their zeros are kept."""
        D = X - self.origin
        np.clip(D, -FAR, FAR, out=D)
        yield D
        yield D**2

    def inner(self, X: Any, theta: np.ndarray) -> np.ndarray:
        """For sparse rows (x − c)² = x(x − 2c) + c², of which the first term is 0 where x is."""
        if not sp.issparse(X):
            return super().inner(X, theta)
        first, second = np.split(theta, 2, axis=1)
        c = np.broadcast_to(self.origin, X.shape[1])
        x = np.clip(X.data, -FAR, FAR)
        near, square = (
            sp.csr_array((data, X.indices, X.indptr), X.shape)
            for data in (x, x * (x - 2 * c[X.indices]))
        )
        return near @ first.T + square @ second.T + (second @ c**2 - first @ c)

    def natural(self, mean: np.ndarray) -> np.ndarray:
        first, second = np.split(mean, 2, axis=1)
        return self.of_moments(first + self.origin, second - first**2)

    def of_moments(self, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """θ from the mean and variance of x itself."""
        return np.hstack([(mean - self.origin) / variance, -0.5 / variance])

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        first, second = np.split(theta, 2, axis=1)
        return (-(first**2) / (4 * second) - 0.5 * np.log(-2 * second)).sum(axis=1)

    def log_carrier(self, X: Any) -> np.ndarray:
        return np.full(X.shape[0], -0.5 * LOG_2PI * X.shape[1])

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        first, second = np.split(theta, 2)
        mean, deviation = self.origin - first / (2 * second), np.sqrt(-0.5 / second)
        return rng.normal(mean, deviation, size=(rows, len(first)))


class TiedGaussian(Family):
    """All members have the covariance that `spread` factors."""

    support: ClassVar[str] = "reals"

    def __init__(self, spread: Spread):
        self.spread = spread

    def statistic(self, X: Any) -> Iterator[Any]:
        yield X

    def natural(self, mean: np.ndarray) -> np.ndarray:
        return self.spread.solve(mean)

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        return 0.5 * ((theta @ self.spread.root.T) ** 2).sum(axis=1)

    def log_carrier(self, X: Any) -> np.ndarray:
        """ln N(x; 0, Σ); of a covariance without full rank, on the directions that have spread."""
        squares = ((X @ self.spread.whitener) ** 2).sum(axis=1)
        log_volume = np.log(np.linalg.svd(self.spread.root, compute_uv=False)).sum()
        return -0.5 * (squares + self.spread.rank * LOG_2PI) - log_volume

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        noise = rng.standard_normal((rows, self.spread.rank))
        return self.spread.times(theta[None]) + noise @ self.spread.root
