"""An exponential family:  p(x | θ) = h(x) · exp(θᵀT(x) − A(θ)).

T(x) is the sufficient statistic, θ the natural parameter, A the log-normalizer, h the carrier,
which a comparison of classes never sees. Two facts make a family a classifier: ∇A(θ) is the mean
of T, so the likeliest θ of a class follows from the mean of T over its rows; and the score of a
class, θ_kᵀT(x) − A(θ_k) + ln π_k, is linear in T(x).   Wainwright & Jordan (2008), §3
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

BLOCK = 2048  # rows


class Family:
    """A subclass gives T, θ from the mean of T, A and ln h, for K parameters at once."""

    support: ClassVar[str]  # where x lives: "reals", …

    def statistic(self, X: Any) -> Iterator[Any]:
        """T(x) of every row, as blocks of columns (n, ·), each sparse if X is."""
        raise NotImplementedError

    def natural(self, mean: np.ndarray) -> np.ndarray:
        """θ (K, m) whose family member has this mean of T (K, m)."""
        raise NotImplementedError

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        """A(θ) (K,)."""
        raise NotImplementedError

    def log_carrier(self, X: Any) -> np.ndarray:
        """ln h(x) (n,)."""
        raise NotImplementedError

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Rows (n, d) from the member with this one θ (m,)."""
        raise NotImplementedError

    def inner(self, X: Any, theta: np.ndarray) -> np.ndarray:
        """θ_kᵀT(x) of every row and parameter, (n, K); dense rows by blocks that fit the cache."""
        n = X.shape[0]
        Z = np.zeros((n, len(theta)))
        step = n if sp.issparse(X) else BLOCK
        for begin in range(0, n, step):
            block = slice(begin, begin + step)
            start = 0
            for T in self.statistic(X if step == n else X[block]):
                stop = start + T.shape[1]
                Z[block] += T @ theta[:, start:stop].T
                start = stop
        return Z

    def log_density(self, X: Any, theta: np.ndarray) -> np.ndarray:
        """ln p(x | θ_k), (n, K)."""
        return self.inner(X, theta) - self.log_normalizer(theta) + self.log_carrier(X)[:, None]
