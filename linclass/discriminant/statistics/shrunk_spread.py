"""A covariance shrunk towards a multiple of the identity:  Σ = Σ_r values_r v_r v_rᵀ + floor·I.

It has the interface of `Spread`. The axes v (r, d) are orthonormal and may be fewer than d; all other directions have
the variance `floor`, so few rows need no matrix (d, d). All shrinkages share the axes, so a path of them costs one
factorization.   Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass.base.arrays import Matrix
from linclass.discriminant.statistics.spread import distances_by


@dataclass(frozen=True)
class ShrunkSpread:
    values: np.ndarray  # (r,), at least 0
    axes: np.ndarray  # (r, d)
    floor: float

    @property
    def rank(self) -> int:
        full = self.floor > 0
        return self.axes.shape[1] if full else int(np.count_nonzero(self.values))

    @property
    def log_volume(self) -> float:
        """Of the directions with variance."""
        rest, variances = self.axes.shape[1] - len(self.axes), self.values + self.floor
        known = np.log(variances[variances > 0]).sum()
        return float(known + rest * np.log(self.floor or 1.0))

    def whiten(self, X: Matrix) -> np.ndarray:
        """X Σ^{−½}."""
        return self._powers(X, -0.5)

    def distances(self, X: Matrix, mean: np.ndarray) -> np.ndarray:
        """(x − m)ᵀΣ⁻¹(x − m) of rows X (n, d)."""
        return distances_by(self, X, mean)

    def lengths(self, theta: np.ndarray) -> np.ndarray:
        return (theta * self.times(theta)).sum(axis=1)

    def noise(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        return self._powers(rng.standard_normal((rows, self.axes.shape[1])), 0.5)

    def times(self, theta: np.ndarray) -> np.ndarray:
        return self._powers(theta, 1)

    def solve(self, mean: np.ndarray) -> np.ndarray:
        return self._powers(mean, -1)

    def _powers(self, M: Any, power: float) -> np.ndarray:
        """M Σ^power, with 0 for directions without variance."""
        along = M @ self.axes.T
        new = np.where(self.values + self.floor > 0, self.values + self.floor, 1.0) ** power
        new = np.where(self.values + self.floor > 0, new, 0)
        if len(self.axes) == self.axes.shape[1]:
            return (along * new) @ self.axes
        rest = self.floor**power if self.floor > 0 else 0.0
        return rest * M + (along * (new - rest)) @ self.axes
