"""Poisson: counts of independent events, feature j with rate λ_j.

T(x) = x,  θ = ln λ,  A(θ) = Σ_j e^{θ_j},  h = Π_j 1 / x_j!.

`smoothing` (1 by default) rows of the mean of all rows are added to each class.
Agresti (2013), Categorical Data Analysis, §4.1
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Matrix
from linclass.naive_bayes.families._log_factorial import sum_of_log_factorials
from linclass.naive_bayes.families.base import Family, away_from_zero


class Poisson(Family):
    support: ClassVar[str] = "counts"
    values: ClassVar[str] = "counts, at least 0"
    smoothing: ClassVar[float] = 1.0

    def statistic(self, X: Matrix) -> Iterator[Any]:
        yield X

    def natural(self, mean: np.ndarray) -> np.ndarray:
        return np.log(mean)

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        return np.exp(theta).sum(axis=-1)

    def log_carrier(self, X: Matrix) -> np.ndarray:
        return -sum_of_log_factorials(X)

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        return rng.poisson(np.exp(theta), size=(rows, len(theta))).astype(float)

    def contains(self, x: np.ndarray) -> np.ndarray:
        return x >= 0

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return away_from_zero(mean)
