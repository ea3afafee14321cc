"""An exponential family:  p(x | θ) = h(x) · exp(θᵀT(x) − A(θ)).

T(x) is the sufficient statistic, θ the natural parameter, A the log-normalizer, h the carrier, which cancels when
classes are compared. Two facts make a family a classifier: ∇A(θ) is the mean of T, so the maximum-likelihood θ of a
class follows from the mean of T over its rows; and the score of a class, θ_kᵀT(x) − A(θ_k) + ln π_k, is linear in
T(x).   Wainwright & Jordan (2008), §3

A mean on the boundary of the mean space (a word that never occurs, a constant feature) has no finite θ. Smoothing
avoids it by adding pseudo-rows; otherwise `inside` moves the mean off the boundary and returns where it did.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import BLOCK, Array, Index, Matrix
from linclass.base.messages import NotApplicable

MIN_REMAINDER = 1e-3  # share of the variance below which a difference has too few digits
SUBTRACTION_TOLERANCE = 1e-12  # relative to the squares whose difference is a variance
EDGE = 1e-10  # least distance of a mean from the boundary, relative to the scale of the feature


class Family:
    """A subclass defines T, θ as a function of the mean of T, and A, for K parameters at once."""

    support: ClassVar[str]  # support of x: "reals", …
    values: ClassVar[str] = "finite numbers"  # the support in words, for error messages
    smoothing: ClassVar[float] = 0.0  # default amount; `smoothed` defines what is added

    def statistic(self, X: Matrix) -> Iterator[Any]:
        """T(x) of every row, as blocks of columns (n, ·), which may be sparse: here x itself."""
        yield X

    def natural(self, mean: Array) -> Array:
        """θ (K, m) with this mean of T (K, m)."""
        raise NotImplementedError

    def remaining_step(self, theta: Array, mean: Array) -> float | None:
        """The largest remaining relative Newton step of `natural`, if it iterates; None if θ has a formula."""
        return None

    def log_normalizer(self, theta: Array) -> Array:
        """A(θ) (K,)."""
        raise NotImplementedError

    def contains(self, x: Array) -> Array:
        """Mask of the values x in the support."""
        return np.isfinite(x)

    def fitted(self, X: Matrix) -> Self:
        """The family with what T depends on, determined from the rows: an origin, the levels."""
        return self

    def fitted_to(self, X: Matrix, codes: Array, weights: Array, K: int) -> Self:
        """The family as `fitted` gives it, for rows of K classes; some families have an origin per class."""
        return self.fitted(X)

    def of_rows(self, codes: Array) -> Self:
        """The family that computes T of rows of these classes, each about the origin of its class."""
        return self

    def of_classes(self, kept: Index) -> Self:
        """The family of some of the classes."""
        return self

    def among(self, places: Array, K: int) -> Self:
        """The family of K classes, with ours at these positions."""
        return self

    def rebased(self, other: Self, mass: Array, sums: Array) -> Array:
        """`sums` (…, m) of this family's T over `mass` (…) rows, as sums of the T of `other`."""
        return sums

    def joined(self, other: Self) -> Self:
        """A family to which the sums of both can be rebased."""
        return self

    def variances(self, mean: Array) -> tuple[Array, Array]:
        """(variances (K, ·), the squares that they are differences of), for families that have variances."""
        return np.zeros((len(mean), 0)), np.zeros((len(mean), 0))

    def lost(self, left: Array, before: Array) -> bool:
        """Whether so little variance is `left`, relative to `before`, that it may be rounding error."""
        (now, _), (was, square) = self.variances(left), self.variances(before)
        return bool(((now <= MIN_REMAINDER * was) & (was > SUBTRACTION_TOLERANCE * square)).any())

    def smoothed(self, mass: Array, sums: Array, smoothing: float) -> Array:
        """Mean of T (K, m) of K classes, each with `smoothing` additional rows of the overall mean.

        It is the mode of the posterior under a conjugate prior.   Diaconis & Ylvisaker (1979)
        """
        everywhere = sums.sum(axis=-2, keepdims=True) / mass.sum(axis=-1)[..., None, None]
        return (sums + smoothing * everywhere) / (mass + smoothing)[..., None]

    def inside(self, mean: Array) -> tuple[Array, Array]:
        """(mean inside the mean space, mask (K, d) of the features that were on its boundary in that class)."""
        return mean, np.zeros(mean.shape, dtype=bool)

    def check_rows(self, X: Matrix, names: Any, owner: str) -> None:
        """Raise NotApplicable, with one sentence, for values outside the support."""
        stored = X.data if sp.issparse(X) else X
        inside = self.contains(stored)
        if inside.all() and (not sp.issparse(X) or self.contains(np.zeros(1))[0]):
            return
        X = as_dense(X)
        inside = self.contains(X)
        if inside.all():  # sparse rows without a zero
            return
        row, column = np.argwhere(~inside)[0]
        lead = "Negative values in data: " if X[row, column] < 0 else ""
        raise NotApplicable(
            f"{lead}{owner} takes {self.values}; column {names[column]!r} holds "
            f"{X[row, column]:g} in row {row}. Choose a family that has such values."
        )

    def inner(self, X: Matrix, theta: Array) -> Array:
        """θ_kᵀT(x) of every row and parameter, (n, K), block by block of rows."""
        n = X.shape[0]
        Z = np.zeros((n, len(theta)))
        for begin in range(0, n, BLOCK):
            block = slice(begin, begin + BLOCK)
            start = 0
            for T in self.statistic(X[block]):
                stop = start + T.shape[1]
                Z[block] += T @ theta[:, start:stop].T
                start = stop
        return Z


class AtLeastZero(Family):
    """Base of families with T(x) = x ≥ 0, whose means are above 0."""

    def contains(self, x: Array) -> Array:
        return x >= 0

    def inside(self, mean: Array) -> tuple[Array, Array]:
        size = mean.max(axis=-2, keepdims=True)
        least = EDGE * np.where(size > 0, size, 1)
        return np.maximum(mean, least), (mean < least) & (size > 0)


def as_dense(X: Matrix) -> Array:
    return X.toarray() if sp.issparse(X) else X


def total(X: Matrix) -> Array:
    """Σ_j of each row."""
    return np.asarray(X.sum(axis=1)).ravel()
