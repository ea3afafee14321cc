"""What families of squares share: T(x) is of x − origin, and sums of it are about the mean of each class.

A variance is a difference of squares, which loses the digits that a mean has more than its deviations. So the sums of
a class are of T(x − c_k), with its own mean for c_k; θ_k, and so the scores, are about one origin for all classes.
Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Index, Matrix
from linclass.discriminant.statistics.additive import placed
from linclass.naive_bayes.families.base import Family, as_dense


class AboutMeans(Family):
    """`origin`, a number or (d,), near the mean of all rows; `centres` (K, d) near those of the classes.

    A class without rows has NaN for its centre. Without centres, sums are about the origin.
    """

    def __init__(self, origin: np.ndarray | float = 0.0, centres: np.ndarray | None = None):
        self.origin = origin
        self.centres = centres

    @property
    def about(self) -> Any:
        """What the sums of each class are about, (K, d) or as the origin."""
        if self.centres is None:
            return self.origin
        return np.where(np.isnan(self.centres), self.origin, self.centres)

    @property
    def offset(self) -> Any:
        """The centres relative to the origin."""
        return 0.0 if self.centres is None else self.about - self.origin

    @property
    def size(self) -> Any:
        """The largest size of a centre, for each feature: deviations carry its rounding error."""
        size = np.abs(self.about)
        return size if self.centres is None else size.max(axis=0)

    def fitted(self, X: Matrix) -> Self:
        """With the mean of these rows as origin."""
        return type(self)(np.asarray(X.mean(axis=0)).ravel())

    def fitted_to(self, X: Matrix, codes: np.ndarray, weights: np.ndarray, K: int) -> Self:
        n = len(codes)
        belongs = sp.csc_array((weights, codes, np.arange(n + 1)), (K, n))
        with np.errstate(invalid="ignore"):
            means = as_dense(belongs @ X) / np.bincount(codes, weights, K)[:, None]
        return type(self)(self.fitted(X).origin, means)

    def of_rows(self, codes: np.ndarray) -> Self:
        return type(self)(self.origin if self.centres is None else self.about[codes])

    def of_classes(self, kept: Index) -> Self:
        return self if self.centres is None else type(self)(self.origin, self.centres[kept])

    def among(self, places: np.ndarray, K: int) -> Self:
        if self.centres is None:
            return self
        return type(self)(self.origin, placed(self.centres, places, K, absent=np.nan))

    def joined(self, other: Self) -> Self:
        """With the centres of `other` for classes that have none here."""
        if self.centres is None or other.centres is None:
            return self
        absent = np.isnan(self.centres)
        return type(self)(self.origin, np.where(absent, other.centres, self.centres))

    def smoothed(self, mass: np.ndarray, sums: np.ndarray, smoothing: float) -> np.ndarray:
        """Rows of the overall mean of T, which has one origin for all classes, are added about the class's own."""
        if self.centres is None or not smoothing:
            return super().smoothed(mass, sums, smoothing)
        common = type(self)(self.origin)
        everywhere = self.rebased(common, mass, sums).sum(axis=0, keepdims=True) / mass.sum()
        everywhere = np.repeat(everywhere, len(mass), axis=0)
        more = common.rebased(self, np.ones(len(mass)), everywhere)
        return (sums + smoothing * more) / (mass + smoothing)[:, None]
