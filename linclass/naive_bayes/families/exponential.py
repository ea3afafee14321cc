"""Exponential: independent waiting times, feature j with rate λ_j.

T(x) = x,  θ = −λ,  A(θ) = −Σ_j ln(−θ_j),  h = 1;  the mean of x is 1/λ.

`smoothing` (0 by default) rows of the mean of all rows are added to each class.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Matrix
from linclass.naive_bayes.families.base import Family, away_from_zero


class Exponential(Family):
    support: ClassVar[str] = "times"
    values: ClassVar[str] = "numbers of at least 0"

    def statistic(self, X: Matrix) -> Iterator[Any]:
        yield X

    def natural(self, mean: np.ndarray) -> np.ndarray:
        return -1 / mean

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        return -np.log(-theta).sum(axis=-1)

    def log_carrier(self, X: Matrix) -> np.ndarray:
        return np.zeros(X.shape[0])

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        return rng.exponential(-1 / theta, size=(rows, len(theta)))

    def contains(self, x: np.ndarray) -> np.ndarray:
        return x >= 0

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return away_from_zero(mean)
