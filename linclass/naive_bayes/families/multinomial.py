"""Multinomial: each row holds the counts of N draws, N the total of the row, from features with probabilities p.

T(x) = x,  θ = ln p,  A(θ) = N ln Σ_j e^{θ_j},  h = N! / Π_j x_j!.

`natural` gives θ with Σ e^θ = 1, so that A = 0 for every N, and rows of any length can be compared.
`smoothing` (1 by default) draws of each feature are added to each class.
Manning, Raghavan & Schütze (2008), §13.2
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp, softmax

from linclass.base.arrays import Matrix
from linclass.naive_bayes.families._log_factorial import sum_of_log_factorials
from linclass.naive_bayes.families.base import EDGE, Family, total


class Multinomial(Family):
    """Counts of draws.

    Parameters
    ----------
    trials : float, default=1.0
        Number of draws N of the rows that A and `sample` refer to.
    """

    support: ClassVar[str] = "shares of a total"
    values: ClassVar[str] = "counts, at least 0"
    smoothing: ClassVar[float] = 1.0

    def __init__(self, trials: float = 1.0):
        self.trials = trials

    def statistic(self, X: Matrix) -> Iterator[Any]:
        yield X

    def natural(self, mean: np.ndarray) -> np.ndarray:
        return np.log(mean) - np.log(mean.sum(axis=-1, keepdims=True))

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        return self.trials * logsumexp(theta, axis=-1)

    def log_carrier(self, X: Matrix) -> np.ndarray:
        return sum_of_log_factorials(total(X)[:, None]) - sum_of_log_factorials(X)

    def log_density(self, X: Matrix, theta: np.ndarray) -> np.ndarray:
        """Each row with its own N."""
        normalizer = total(X)[:, None] * logsumexp(theta, axis=1)
        return self.inner(X, theta) - normalizer + self.log_carrier(X)[:, None]

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        return rng.multinomial(int(self.trials), softmax(theta), size=rows).astype(float)

    def contains(self, x: np.ndarray) -> np.ndarray:
        return x >= 0

    def smoothed(self, mass: np.ndarray, sums: np.ndarray, smoothing: float) -> np.ndarray:
        return sums + smoothing  # only shares count, so this need not be a mean

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        whole = mean.sum(axis=-1, keepdims=True)
        least = EDGE * np.where(whole > 0, whole, 1)
        somewhere = mean.max(axis=-2, keepdims=True) > 0
        return np.maximum(mean, least), (mean < least) & somewhere
