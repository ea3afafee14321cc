"""An exponential family:  p(x | θ) = h(x) · exp(θᵀT(x) − A(θ)).

T(x) is the sufficient statistic, θ the natural parameter, A the log-normalizer, h the carrier,
which a comparison of classes never sees. Two facts make a family a classifier: ∇A(θ) is the mean
of T, so the likeliest θ of a class follows from the mean of T over its rows; and the score of a
class, θ_kᵀT(x) − A(θ_k) + ln π_k, is linear in T(x).   Wainwright & Jordan (2008), §3

A mean on the edge of what is possible (a word that never occurs, a feature without spread) has no
finite θ. Two things stand against that: smoothing, which adds rows that nobody has seen, and
`inside`, which steps back from the edge and says where it did.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from linclass.applicability import NotApplicable

BLOCK = 2048  # rows
LOST = 1e-3  # a share of the spread, left by a difference, that has too few digits
ROUNDING = 1e-12  # a share of the squares, of which a variance is the difference
EDGE = 1e-10  # how near a mean may come to the edge, relative to what is usual for the feature


class Family:
    """A subclass gives T, θ from the mean of T, A and ln h, for K parameters at once."""

    support: ClassVar[str]  # where x lives: "reals", …
    values: ClassVar[str] = "finite numbers"  # the same in words, for those who gave others
    joint: ClassVar[bool] = False  # whether the columns depend on each other
    linear: ClassVar[bool] = False  # T(x) = x, so that scores are linear in the features
    smoothing: ClassVar[float] = 0.0  # unless another is asked for; `smoothed` says of what

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

    def contains(self, x: np.ndarray) -> np.ndarray:
        """Which of the values x lie in the support."""
        return np.isfinite(x)

    def fitted(self, X: Any) -> Self:
        """The family with what T must know of the rows first: an origin, the levels."""
        return self

    def rebased(self, other: Self, mass: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """`sums` (…, m) of this family's T over `mass` (…) rows, as sums of the T of `other`."""
        return sums

    def joined(self, other: Self) -> Self:
        """A family to which the sums of both can be rebased."""
        return self

    def variances(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(variances (K, ·), the squares that they are differences of), of families that have some."""
        return np.zeros((len(mean), 0)), np.zeros((len(mean), 0))

    def lost(self, left: np.ndarray, before: np.ndarray) -> bool:
        """Whether so little spread is in `left`, of what was `before`, that it may be rounding."""
        (now, _), (was, square) = self.variances(left), self.variances(before)
        return bool(((now <= LOST * was) & (was > ROUNDING * square)).any())

    def smoothed(self, mass: np.ndarray, sums: np.ndarray, smoothing: float) -> np.ndarray:
        """Mean of T (K, m) of K classes, each with `smoothing` rows more of the mean of all rows.

        In conjugate priors' terms the mode of the posterior.   Diaconis & Ylvisaker (1979)
        """
        everywhere = sums.sum(axis=-2, keepdims=True) / mass.sum(axis=-1)[..., None, None]
        return (sums + smoothing * everywhere) / (mass + smoothing)[..., None]

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(mean off the edge, where (K, d) it was on it: no spread of that feature in that class)."""
        return mean, np.zeros(mean.shape, dtype=bool)

    def check_rows(self, X: Any, names: Any, owner: str) -> None:
        """NotApplicable, in one sentence, for values that the family does not have."""
        stored = X.data if sp.issparse(X) else X
        inside = self.contains(stored)
        if inside.all() and (not sp.issparse(X) or self.contains(np.zeros(1))[0]):
            return
        if sp.issparse(X):
            X = X.toarray()
            inside = self.contains(X)
        row, column = np.argwhere(~inside)[0]
        lead = "Negative values in data: " if X[row, column] < 0 else ""
        raise NotApplicable(
            f"{lead}{owner} takes {self.values}; column {names[column]!r} holds "
            f"{X[row, column]:g} in row {row}. Choose a family that has such values."
        )

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


def total(X: Any) -> np.ndarray:
    """Σ_j of each row."""
    return np.asarray(X.sum(axis=1)).ravel()


def at_least(mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means (K, d) that are above 0, and which were not, of features that some class has."""
    size = mean.max(axis=-2, keepdims=True)
    least = EDGE * np.where(size > 0, size, 1)
    return np.maximum(mean, least), (mean < least) & (size > 0)
