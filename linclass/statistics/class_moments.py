"""Moments of classes that can be added and subtracted: the sufficient statistics of Gaussian methods.

The moments of the union of two sets of rows, or of their difference, follow from the difference of their means,
    n = n₁ ± n₂,   m = m₁ ± (n₂/n)(m₂ − m₁),   S = S₁ ± S₂ ± (n₁n₂/n)(m₂ − m₁)(m₂ − m₁)ᵀ,
so shards can be merged, and the training rows of a fold are all rows minus those of the fold. Squares are always
about the mean of the class, so neither a far origin nor far classes cause cancellation.
Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from linclass.annotations import Matrix
from linclass.applicability import NotApplicable
from linclass.numerics.arrays import Array
from linclass.statistics.additive import placed
from linclass.statistics.moments import moments
from linclass.statistics.spread import Spread

ROUNDING = 1e-12  # relative to what was there before the subtraction
NEGLIGIBLE = 1e-14  # deviation from a mean, relative to it, that is rounding
LOST = 1e-3  # relative remainder below which a difference has lost too many digits
BY_FEATURE = ("means", "diagonal")  # forms without products of features


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Weight n_k (K,), mean m_k (K, d), and the scatter about m_k in a form of moments.FORMS."""

    form: str
    mass: Array
    mean: Array
    scatter: Array

    @classmethod
    def of(cls, X: Matrix, codes: Array, weights: Array, K: int, form: str) -> ClassMoments:
        return cls(form, *moments(X, codes, weights, K, form))

    def of_part(self, X: Matrix, codes: Array, weights: Array) -> ClassMoments:
        """The moments of some of the rows, in the same form."""
        return self.of(X, codes, weights, len(self.mass), self.form)

    def __add__(self, other: ClassMoments) -> ClassMoments:
        if "rows" in (self.form, other.form):
            return self._add_rows(other)
        mass = self.mass + other.mass
        share = _share(other.mass, mass)
        step = other.mean - self.mean
        scatter = self.scatter + other.scatter + SQUARES[self.form](step, self.mass * share)
        return replace(self, mass=mass, mean=self.mean + share[:, None] * step, scatter=scatter)

    def __sub__(self, part: ClassMoments) -> ClassMoments:
        step = part.mean - self.mean
        squares = part.scatter + SQUARES[self.form](step, part.mass)
        return self.without(part.mass, part.mass[:, None] * step, squares)

    def without(
        self, mass: Array, sums: Array, squares: Array, own_sums: Array | float = 0.0
    ) -> ClassMoments:
        """The moments without rows of this weight, with these sums and squares of x − m_k.

        `own_sums` are those of all rows, if m_k is only near their mean. Arrays with a leading axis for the folds give
        the moments of all folds, stacked.
        """
        left = self.mass - mass
        left = np.where(left > 1e-9 * self.mass, left, 0)  # weights need not be integers
        inverse = np.divide(1.0, left, out=np.zeros_like(left), where=left > 0)
        sums = own_sums - sums
        mean = np.where(left[..., None] > 0, self.mean + inverse[..., None] * sums, 0)
        scatter = self.scatter - squares
        scatter -= SQUARES[self.form](sums, inverse)
        self._clear_rounding(scatter)
        return ClassMoments(self.form, left, mean, scatter)

    def _clear_rounding(self, scatter: Array) -> None:
        """Set to 0 what subtraction leaves of a feature that has no variance any more."""
        if self.form == "diagonal":
            scatter[scatter <= ROUNDING * self.scatter] = 0
        elif self.form in ("tied", "full"):
            left, before = (np.diagonal(S, axis1=-2, axis2=-1) for S in (scatter, self.scatter))
            gone = left <= ROUNDING * before
            if gone.any():
                scatter[gone[..., :, None] | gone[..., None, :]] = 0

    def lost(self, before: ClassMoments) -> Array:
        """(…, d): the features of which too little is left of what was there `before`."""
        there = self.mass[..., None] > 0
        if self.form == "means":
            moved = np.where(there, np.abs(self.mean - before.mean), 0).max(axis=-2)
            return LOST * moved > np.abs(self.mean).max(axis=-2)
        left, was = self._squares, before._squares
        spread = was > before.total * before.negligible**2
        lost = (left <= LOST * was) & spread
        return lost if self.form == "tied" else (lost & there).any(axis=-2)

    def replace_features(self, fold: int, columns: Any, other: ClassMoments) -> None:
        """Replace some features of a fold of a stack, or all if the form has products of features."""
        self.mass[fold] = other.mass
        self.mean[fold][:, columns] = other.mean
        if self.form == "diagonal":
            self.scatter[fold][:, columns] = other.scatter
        elif self.form != "means":
            self.scatter[fold] = other.scatter

    @property
    def _squares(self) -> Array:
        """The diagonal of the scatter."""
        if self.form == "diagonal":
            return self.scatter
        return np.diagonal(self.scatter, axis1=-2, axis2=-1)

    def of_classes(self, kept: Array) -> ClassMoments:
        """The moments of some classes; the others have no rows."""
        by_class = self.form in ("diagonal", "full")
        scatter = self.scatter[kept] if by_class else self.scatter
        return replace(self, mass=self.mass[kept], mean=self.mean[kept], scatter=scatter)

    def among(self, places: Array, K: int) -> ClassMoments:
        """The moments among K classes, with ours at these positions; the others have no rows."""
        by_class = self.form in ("diagonal", "full")
        scatter = placed(self.scatter, places, K) if by_class else self.scatter
        mass, mean = (placed(values, places, K) for values in (self.mass, self.mean))
        return replace(self, mass=mass, mean=mean, scatter=scatter)

    def scaled(self, shift: Array, scale: Array) -> ClassMoments:
        """The moments of the rows (x − shift) / scale."""
        by = scale[..., None, :]
        mean = (self.mean - shift[..., None, :]) / by
        if self.form == "means":
            return replace(self, mean=mean)
        if self.form == "diagonal":
            by = by**2
        elif self.form in ("tied", "full"):
            by = scale[..., :, None] * by
            by = by[..., None, :, :] if self.form == "full" else by
        return replace(self, mean=mean, scatter=self.scatter / by)

    def split(self) -> list[ClassMoments]:
        """The moments of each fold of a stack."""
        scatter = self.scatter if self.form != "means" else [self.scatter] * len(self.mass)
        parts = zip(self.mass, self.mean, scatter, strict=True)
        return [ClassMoments(self.form, *part) for part in parts]

    def stacked(self) -> ClassMoments:
        """As a stack of one."""
        scatter = self.scatter if self.form == "means" else self.scatter[None]
        return ClassMoments(self.form, self.mass[None], self.mean[None], scatter)

    @property
    def total(self) -> Any:
        return self.mass.sum(axis=-1)

    @property
    def present(self) -> Any:
        """The number of classes with rows."""
        return (self.mass > 0).sum(axis=-1)

    @property
    def centre(self) -> Array:
        """The mean of all rows."""
        sums = (self.mass[..., None, :] @ self.mean)[..., 0, :]
        return sums / self.mass.sum(axis=-1)[..., None]

    @property
    def means(self) -> Array:
        """m_k; the overall mean for a class without rows."""
        if self.mass.all():
            return self.mean
        return np.where(self.mass[..., None] > 0, self.mean, self.centre[..., None, :])

    @cached_property
    def pooled(self) -> Array:
        """The scatter within the classes, summed over them: (d,), (d, d) or rows."""
        if self.form == "diagonal":
            return self.scatter.sum(axis=-2)
        return self.scatter.sum(axis=-3) if self.form == "full" else self.scatter

    @cached_property
    def axes(self) -> tuple[Array, Array]:
        """(squares (r,), directions (r, d)): the pooled scatter is Σ s vvᵀ. All shrinkages share it."""
        if self.form == "rows":
            _, singular, V = np.linalg.svd(self.scatter, full_matrices=False)
            return singular**2, V
        values, V = np.linalg.eigh(self.pooled)
        return np.maximum(values, 0), V.T

    @cached_property
    def relative_axes(self) -> tuple[Spread, list[tuple[Array, Array]]]:
        """(F of S = FᵀF, ν_k and V_k of S_k = Fᵀ V_k diag(ν_k) V_kᵀ F): simultaneous diagonalization."""
        whole = Spread.of_covariance(self.pooled, self.negligible)
        W = whole.whitener
        pairs = [np.linalg.eigh(W.T @ S @ W) for S in self.scatter]
        return whole, [(np.maximum(values, 0), V) for values, V in pairs]

    @property
    def negligible(self) -> Array:
        """A standard deviation of each feature that is rounding error."""
        return NEGLIGIBLE * np.abs(self.mean).max(axis=-2)

    def _add_rows(self, other: ClassMoments) -> ClassMoments:
        """Rows are kept as long as they are fewer than features."""
        mass = self.mass + other.mass
        share = _share(other.mass, mass)
        step = other.mean - self.mean
        between = np.sqrt(self.mass * share)[:, None] * step
        parts = self.scatter, other.scatter, between[self.mass * share > 0]
        mean = self.mean + share[:, None] * step
        wide = self.form == other.form and sum(map(len, parts)) < mean.shape[1]
        form = "rows" if wide else "tied"
        if wide:
            scatter = np.vstack(parts)
        else:
            squares = (self.form == "rows", other.form == "rows", True)
            scatter = sum(p.T @ p if q else p for p, q in zip(parts, squares, strict=True))
        return ClassMoments(form, mass, mean, scatter)


def _share(part: Array, whole: Array) -> Array:
    """part / whole, 0 where whole is 0."""
    return np.divide(part, whole, out=np.zeros_like(part, dtype=float), where=whole > 0)


def _no_rows(*_: Any) -> Array:
    raise NotApplicable(
        "rows cannot be subtracted from a scatter that is kept as rows; fit without them."
    )


# Σ_k w_k s_k s_kᵀ of vectors s (K, d), one for each class
SQUARES: dict[str, Callable[..., Array]] = {
    "means": lambda s, w: np.zeros(0),
    "diagonal": lambda s, w: w[..., None] * s * s,
    "full": lambda s, w: (w[..., None] * s)[..., :, None] * s[..., None, :],
    "tied": lambda s, w: np.swapaxes(w[..., None] * s, -1, -2) @ s,
    "rows": _no_rows,
}
