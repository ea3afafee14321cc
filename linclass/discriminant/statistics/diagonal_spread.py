"""A diagonal covariance with the interface of `Spread`: only d numbers are kept, so d may be large."""

from dataclasses import dataclass

import numpy as np

from linclass.base.arrays import Matrix
from linclass.discriminant.statistics.spread import distances_by


@dataclass(frozen=True)
class DiagonalSpread:
    """Σ = diag(deviation²); a feature with deviation 0 is left out of the inverse."""

    deviation: np.ndarray

    @property
    def rank(self) -> int:
        return int(np.count_nonzero(self.deviation))

    @property
    def log_volume(self) -> float:
        return 2 * float(np.log(self.deviation[self.deviation > 0]).sum())

    def whiten(self, X: Matrix) -> np.ndarray:
        return X * self._inverse

    def distances(self, X: Matrix, mean: np.ndarray) -> np.ndarray:
        """(x − m)ᵀΣ⁺(x − m) of rows X (n, d)."""
        return distances_by(self, X, mean)

    def lengths(self, theta: np.ndarray) -> np.ndarray:
        return ((theta * self.deviation) ** 2).sum(axis=1)

    def noise(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        return rng.standard_normal((rows, len(self.deviation))) * self.deviation

    def times(self, theta: np.ndarray) -> np.ndarray:
        return theta * self.deviation**2

    def solve(self, mean: np.ndarray) -> np.ndarray:
        return mean * self._inverse**2

    @property
    def _inverse(self) -> np.ndarray:
        spread = self.deviation > 0
        return np.divide(1, self.deviation, out=np.zeros_like(self.deviation), where=spread)
