"""Bernoulli: features are 0 or 1, independently with probabilities p.

T(x) = x,  θ = ln(p / (1 − p)),  A(θ) = Σ_j ln(1 + e^{θ_j}),  h = 1.

`smoothing` (1 by default: Laplace's rule of succession) ones and as many zeros are added to each
feature of each class.   Manning, Raghavan & Schütze (2008), §13.3
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, logit

from linclass.base.arrays import Matrix
from linclass.naive_bayes.families.base import EDGE, Family


class Bernoulli(Family):
    support: ClassVar[str] = "bits"
    values: ClassVar[str] = "zeros and ones"
    smoothing: ClassVar[float] = 1.0

    def statistic(self, X: Matrix) -> Iterator[Any]:
        yield X

    def natural(self, mean: np.ndarray) -> np.ndarray:
        return logit(mean)

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        return np.logaddexp(0, theta).sum(axis=-1)

    def log_carrier(self, X: Matrix) -> np.ndarray:
        return np.zeros(X.shape[0])

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        return (rng.random((rows, len(theta))) < expit(theta)).astype(float)

    def contains(self, x: np.ndarray) -> np.ndarray:
        return (x == 0) | (x == 1)

    def smoothed(self, mass: np.ndarray, sums: np.ndarray, smoothing: float) -> np.ndarray:
        return (sums + smoothing) / (mass + 2 * smoothing)[..., None]

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inner = np.clip(mean, EDGE, 1 - EDGE)
        differs = np.ptp(mean, axis=-2, keepdims=True) > 0
        return inner, (inner != mean) & differs
