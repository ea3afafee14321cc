"""Geometric: failures before the first success, independent features with success probabilities p.

T(x) = x,  θ = ln(1 − p),  A(θ) = −Σ_j ln(1 − e^{θ_j}),  h = 1;  the mean of x is (1 − p)/p.

`smoothing` (1 by default) rows of the mean of all rows are added to each class.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Matrix
from linclass.naive_bayes.families.base import Family, away_from_zero


class Geometric(Family):
    support: ClassVar[str] = "counts"
    values: ClassVar[str] = "counts, at least 0"
    smoothing: ClassVar[float] = 1.0

    def statistic(self, X: Matrix) -> Iterator[Any]:
        yield X

    def natural(self, mean: np.ndarray) -> np.ndarray:
        return -np.log1p(1 / mean)

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        return -np.log(-np.expm1(theta)).sum(axis=-1)

    def log_carrier(self, X: Matrix) -> np.ndarray:
        return np.zeros(X.shape[0])

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        return rng.geometric(-np.expm1(theta), size=(rows, len(theta))) - 1.0

    def contains(self, x: np.ndarray) -> np.ndarray:
        return x >= 0

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return away_from_zero(mean)
