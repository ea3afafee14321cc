"""Exponential families of counts, levels and zeros and ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import logit, logsumexp

from linclass.base.arrays import Array, Matrix
from linclass.base.messages import require_memory
from linclass.naive_bayes.families.base import EDGE, AtLeastZero, Family, as_dense

TINY = np.finfo(float).tiny
ARRAYS = 16  # temporary arrays of counts and their logarithms, for two classes


class Bernoulli(Family):
    """Bernoulli: features are 0 or 1, independently with probabilities p.

    T(x) = x,  θ = ln(p / (1 − p)),  A(θ) = Σ_j ln(1 + e^{θ_j}),  h = 1.

    `smoothing` (1 by default: Laplace's rule of succession) ones and as many zeros are added to each
    feature of each class.   Manning, Raghavan & Schütze (2008), §13.3
    """

    support: ClassVar[str] = "bits"
    values: ClassVar[str] = "zeros and ones"
    smoothing: ClassVar[float] = 1.0

    def natural(self, mean: Array) -> Array:
        return logit(mean)

    def log_normalizer(self, theta: Array) -> Array:
        return np.logaddexp(0, theta).sum(axis=-1)

    def contains(self, x: Array) -> Array:
        return (x == 0) | (x == 1)

    def smoothed(self, mass: Array, sums: Array, smoothing: float) -> Array:
        return (sums + smoothing) / (mass + 2 * smoothing)[..., None]

    def inside(self, mean: Array) -> tuple[Array, Array]:
        inner = np.clip(mean, EDGE, 1 - EDGE)
        differs = np.ptp(mean, axis=-2, keepdims=True) > 0
        return inner, (inner != mean) & differs


class Categorical(Family):
    """Categorical: each feature is one of the levels 0 … L − 1, independently of the others.

    T(x) = the one-hot vector of every feature,  θ = ln p,  A(θ) = Σ_j ln Σ_l e^{θ_jl},  h = 1.

    T has a column for each level of each feature, feature by feature. A feature has the levels up to the highest one
    with training rows; a higher level does not influence the score.
    `smoothing` (1 by default) rows are added to each level of each feature of each class.

    Parameters
    ----------
    levels : int or array of shape (d,), default=2
        Number of levels of all features, or of each.
    """

    support: ClassVar[str] = "levels"
    values: ClassVar[str] = "levels 0, 1, 2, …"
    smoothing: ClassVar[float] = 1.0

    def __init__(self, levels: int | Array = 2):
        self.levels = levels

    def statistic(self, X: Matrix) -> Iterator[Any]:
        X = as_dense(X)
        counts = np.broadcast_to(self.levels, X.shape[1])
        begins, feature, _ = _columns(counts)
        known = (X >= 0) & (counts > X) & (np.floor(X) == X)
        columns = (X + begins)[known].astype(np.int32)
        ends = np.append(0, np.cumsum(known.sum(axis=1)))
        yield sp.csr_array((np.ones(len(columns)), columns, ends), (len(X), len(feature)))

    def natural(self, mean: Array) -> Array:
        """ln p, below 0 also where p = 1; 0 for the levels that a feature does not have."""
        theta = np.log(mean, out=np.zeros_like(mean), where=mean > 0)
        return np.minimum(theta, -TINY, out=theta, where=mean > 0)

    def log_normalizer(self, theta: Array) -> Array:
        begins, feature, _ = _columns(self._counts(theta))
        some = np.minimum.reduceat(theta, begins, axis=-1)[..., feature] < 0
        present = np.where((theta == 0) & some, -np.inf, theta)
        return np.logaddexp.reduceat(present, begins, axis=-1).sum(axis=-1)

    def contains(self, x: Array) -> Array:
        return (x >= 0) & (x == np.floor(x))

    def fitted(self, X: Matrix) -> Self:
        highest = as_dense(X.max(axis=0)).ravel()
        require_memory(
            8 * ARRAYS * (highest + 1).sum(),
            f"categorical codes up to {highest.max():.6g} need counts of so many levels (the transform "
            "`codes` numbers those that occur)",
        )
        return type(self)(highest.astype(np.int64) + 1)

    def joined(self, other: Self) -> Self:
        return type(self)(np.maximum(self.levels, other.levels))

    def rebased(self, other: Self, mass: Array, sums: Array) -> Array:
        counts = self._counts(sums)
        _, feature, level = _columns(counts)
        begins, wider, _ = _columns(np.broadcast_to(other.levels, len(counts)))
        rebased = np.zeros((*sums.shape[:-1], len(wider)))
        rebased[..., begins[feature] + level] = sums
        return rebased

    def smoothed(self, mass: Array, sums: Array, smoothing: float) -> Array:
        begins, feature, level = _columns(self._counts(sums))
        seen = sums.sum(axis=-2, keepdims=True) > 0
        L = np.maximum.reduceat(np.where(seen, level + 1, 0), begins, axis=-1)[..., feature]
        return np.where(level < L, sums + smoothing, 0) / (mass[..., None] + smoothing * L)

    def inside(self, mean: Array) -> tuple[Array, Array]:
        begins, feature, _ = _columns(self._counts(mean))
        absent = (mean == 0) & (mean.max(axis=-2, keepdims=True) > 0)
        inner = np.where(absent, EDGE, mean)
        inner /= np.add.reduceat(inner, begins, axis=-1)[..., feature]
        return inner, np.logical_or.reduceat(absent, begins, axis=-1)

    def by_feature(self, values: Array) -> list[Array]:
        """The columns (…, L) of each feature."""
        begins, *_ = _columns(self._counts(values))
        return np.split(values, begins[1:], axis=-1)

    def _counts(self, values: Array) -> Array:
        """Number of levels of each feature of an array of columns of T."""
        levels = np.asarray(self.levels)
        return levels if levels.ndim else np.full(values.shape[-1] // self.levels, levels)


def _columns(counts: Array) -> tuple[Array, Array, Array]:
    """(first column of each feature, feature of each column, level of each column)."""
    begins = np.cumsum(counts) - counts
    feature = np.repeat(np.arange(len(counts)), counts)
    return begins, feature, np.arange(len(feature)) - begins[feature]


class Multinomial(Family):
    """Multinomial: each row holds the counts of N draws, N the total of the row, from features with probabilities p.

    T(x) = x,  θ = ln p,  A(θ) = N ln Σ_j e^{θ_j},  h = N! / Π_j x_j!.

    `natural` gives θ with Σ e^θ = 1, so that A = 0 for every N, and rows of any length can be compared.
    `smoothing` (1 by default) draws of each feature are added to each class.
    Manning, Raghavan & Schütze (2008), §13.2

    Parameters
    ----------
    trials : float, default=1.0
        Number of draws N of the rows that A refers to.
    """

    support: ClassVar[str] = "shares of a total"
    values: ClassVar[str] = "counts, at least 0"
    smoothing: ClassVar[float] = 1.0

    def __init__(self, trials: float = 1.0):
        self.trials = trials

    def natural(self, mean: Array) -> Array:
        return np.log(mean) - np.log(mean.sum(axis=-1, keepdims=True))

    def log_normalizer(self, theta: Array) -> Array:
        return self.trials * logsumexp(theta, axis=-1)

    def contains(self, x: Array) -> Array:
        return x >= 0

    def smoothed(self, mass: Array, sums: Array, smoothing: float) -> Array:
        return sums + smoothing  # only shares count, so this need not be a mean

    def inside(self, mean: Array) -> tuple[Array, Array]:
        whole = mean.sum(axis=-1, keepdims=True)
        least = EDGE * np.where(whole > 0, whole, 1)
        somewhere = mean.max(axis=-2, keepdims=True) > 0
        return np.maximum(mean, least), (mean < least) & somewhere


class Poisson(AtLeastZero):
    """Poisson: counts of independent events, feature j with rate λ_j.

    T(x) = x,  θ = ln λ,  A(θ) = Σ_j e^{θ_j},  h = Π_j 1 / x_j!.

    `smoothing` (1 by default) rows of the mean of all rows are added to each class.
    Agresti (2013), Categorical Data Analysis, §4.1
    """

    support: ClassVar[str] = "counts"
    values: ClassVar[str] = "counts, at least 0"
    smoothing: ClassVar[float] = 1.0

    def natural(self, mean: Array) -> Array:
        return np.log(mean)

    def log_normalizer(self, theta: Array) -> Array:
        return np.exp(theta).sum(axis=-1)


class Geometric(AtLeastZero):
    """Geometric: failures before the first success, independent features with success probabilities p.

    T(x) = x,  θ = ln(1 − p),  A(θ) = −Σ_j ln(1 − e^{θ_j}),  h = 1;  the mean of x is (1 − p)/p.

    `smoothing` (1 by default) rows of the mean of all rows are added to each class.
    """

    support: ClassVar[str] = "counts"
    values: ClassVar[str] = "counts, at least 0"
    smoothing: ClassVar[float] = 1.0

    def natural(self, mean: Array) -> Array:
        return -np.log1p(1 / mean)

    def log_normalizer(self, theta: Array) -> Array:
        return -np.log(-np.expm1(theta)).sum(axis=-1)
