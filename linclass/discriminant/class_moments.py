"""Moments of classes that can be added and subtracted: the sufficient statistics of Gaussian methods.

The moments of the union of two sets of rows, or of their difference, follow from the difference of their means,
    n = n₁ ± n₂,   m = m₁ ± (n₂/n)(m₂ − m₁),   S = S₁ ± S₂ ± (n₁n₂/n)(m₂ − m₁)(m₂ − m₁)ᵀ,
so shards can be merged, and the training rows of a fold are all rows minus those of the fold. Squares are always
about the mean of the class, so neither a far origin nor far classes cause cancellation.

They are computed from the rows in two passes, and never as a difference of sums of squares. The mean is corrected by
the mean of the deviations, so a constant column has no deviation but in the last digit. Sparse rows stay sparse:
entries that are not stored deviate by −m_k. A class without rows has weight 0 and mean 0.

The scatter Σ w (x − m_k)(x − m_k)ᵀ has one of these forms (FORMS): of single features (K, d), of all features in
each class (K, d, d), summed over the classes (d, d), or none (K, 0). With fewer rows than features it is kept as rows
R (n, d) with RᵀR that sum ('rows'), or with those of each class ('class_rows').
Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Array, Matrix
from linclass.base.messages import NotApplicable
from linclass.discriminant.row_spreads import Deviations

SUBTRACTION_TOLERANCE = 1e-12  # relative to what was there before the subtraction
NEGLIGIBLE_DEVIATION = 1e-14  # deviation from a mean, relative to it, that is rounding
MIN_REMAINDER = 1e-3  # relative remainder below which a difference has lost too many digits
BY_FEATURE = ("means", "diagonal")  # forms without products of features
BY_ROWS = ("rows", "class_rows")  # forms for fewer rows than features


def placed(values: Array, places: Array, K: int, absent: float = 0.0) -> Array:
    """The values of some classes at their places among K."""
    wider = np.full((K, *values.shape[1:]), absent)
    wider[places] = values
    return wider


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Weight n_k (K,), mean m_k (K, d), and the scatter about m_k in a form of FORMS."""

    form: str
    mass: Array
    mean: Array
    scatter: Any  # an array, or Deviations if it is kept as rows; of a stack of rows a list

    @classmethod
    def of(cls, X: Matrix, codes: Array, weights: Array, K: int, form: str) -> ClassMoments:
        """The moments of these rows of K classes."""
        measure, gather = FORMS[form]
        found = []
        for k in range(K):
            members = np.flatnonzero(codes == k)
            w = weights[members]
            mass = w.sum()
            n = mass or 1.0  # for a class without rows
            off: Array | float = 0.0  # the mean of the deviations, which rounding leaves
            if sp.issparse(X):
                rows = X[members]
                m = (w @ rows) / n
                m += (w @ _deviations(rows, m) - _unstored(rows, w) * m) / n
                D = _deviations(rows, m)
            else:
                rows = D = X.take(members, axis=0)  # a copy, which becomes the deviations
                m = (w @ rows) / n
                D -= m
                off = (w @ D) / n
                m = m + off
            found.append((mass, m, measure(rows, w, m, D, off)))
        mass, mean, scatter = zip(*found, strict=True)
        return cls(form, np.array(mass), np.array(mean), gather(scatter))

    def of_part(self, X: Matrix, codes: Array, weights: Array) -> ClassMoments:
        """The moments of some of the rows, in the same form."""
        return self.of(X, codes, weights, len(self.mass), self.form)

    def __add__(self, other: ClassMoments) -> ClassMoments:
        if {self.form, other.form} & {*BY_ROWS}:
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
            scatter[scatter <= SUBTRACTION_TOLERANCE * self.scatter] = 0
        elif self.form in ("tied", "full"):
            left, before = (np.diagonal(S, axis1=-2, axis2=-1) for S in (scatter, self.scatter))
            gone = left <= SUBTRACTION_TOLERANCE * before
            if gone.any():
                scatter[gone[..., :, None] | gone[..., None, :]] = 0

    def lost(self, before: ClassMoments) -> Array:
        """(…, d): the features of which too little is left of what was there `before`."""
        there = self.mass[..., None] > 0
        if self.form == "means":
            moved = np.where(there, np.abs(self.mean - before.mean), 0).max(axis=-2)
            return MIN_REMAINDER * moved > np.abs(self.mean).max(axis=-2)
        left, was = self.squares, before.squares
        spread = was > before.total * before.negligible**2
        lost = (left <= MIN_REMAINDER * was) & spread
        return lost if self.form == "tied" else (lost & there).any(axis=-2)

    def replace_features(self, fold: int, columns: Any, other: ClassMoments) -> None:
        """Replace some features of a fold of a stack, or all if the form has products of features."""
        self.mass[fold] = other.mass
        self.mean[fold][:, columns] = other.mean
        if self.form == "diagonal":
            self.scatter[fold][:, columns] = other.scatter
        else:
            self.scatter[fold] = other.scatter

    @property
    def squares(self) -> Array:
        """The diagonal of the scatter, of each class unless it is tied."""
        if self.form == "diagonal":
            return self.scatter
        if self.form in BY_ROWS:
            stacked = isinstance(self.scatter, list)
            return np.array([R.squares for R in self.scatter]) if stacked else self.scatter.squares
        return np.diagonal(self.scatter, axis1=-2, axis2=-1)

    def of_classes(self, kept: Array) -> ClassMoments:
        """The moments of some classes; the others have no rows."""
        scatter = self.scatter
        if self.form in BY_ROWS:
            scatter = scatter.among(np.cumsum(kept) - 1, kept.sum())
        elif self.form != "tied":
            scatter = scatter[kept]
        return replace(self, mass=self.mass[kept], mean=self.mean[kept], scatter=scatter)

    def among(self, places: Array, K: int) -> ClassMoments:
        """The moments among K classes, with ours at these positions; the others have no rows."""
        scatter = self.scatter
        if self.form in BY_ROWS:
            scatter = scatter.among(places, K)
        elif self.form != "tied":
            scatter = placed(scatter, places, K)
        mass, mean = (placed(values, places, K) for values in (self.mass, self.mean))
        return replace(self, mass=mass, mean=mean, scatter=scatter)

    def scaled(self, shift: Array, scale: Array) -> ClassMoments:
        """The moments of the rows (x − shift) / scale."""
        if isinstance(self.scatter, list):  # of one fold
            return self.split()[0].scaled(shift[0], scale[0]).stacked()
        by = scale[..., None, :]
        mean = (self.mean - shift[..., None, :]) / by
        if self.form == "means":
            return replace(self, mean=mean)
        if self.form in BY_ROWS:
            return replace(self, mean=mean, scatter=self.scatter.scaled(scale))
        if self.form == "diagonal":
            by = by**2
        else:
            by = scale[..., :, None] * by
            by = by[..., None, :, :] if self.form == "full" else by
        return replace(self, mean=mean, scatter=self.scatter / by)

    def times(self, factor: Any) -> ClassMoments:
        """The moments with all weights multiplied by a factor; of a stack, one for each fold."""
        if isinstance(self.scatter, list):  # of one fold
            return self.split()[0].times(factor[0]).stacked()
        by, scatter = np.asarray(factor), self.scatter
        if self.form in BY_ROWS:
            scatter = scatter.times(by)
        else:
            scatter = scatter * by.reshape(by.shape + (1,) * (scatter.ndim - by.ndim))
        return replace(self, mass=self.mass * by[..., None], scatter=scatter)

    def split(self) -> list[ClassMoments]:
        """The moments of each fold of a stack."""
        parts = zip(self.mass, self.mean, self.scatter, strict=True)
        return [ClassMoments(self.form, *part) for part in parts]

    def stacked(self) -> ClassMoments:
        """These moments as a stack of one fold."""
        scatter = [self.scatter] if self.form in BY_ROWS else self.scatter[None]
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
        if self.form in BY_ROWS:
            return self.scatter.axes
        values, V = np.linalg.eigh(self.pooled)
        return np.maximum(values, 0), V.T

    @property
    def negligible(self) -> Array:
        """A standard deviation of each feature that is rounding error."""
        return NEGLIGIBLE_DEVIATION * np.abs(self.mean).max(axis=-2)

    def _add_rows(self, other: ClassMoments) -> ClassMoments:
        """Rows are kept as long as they are fewer than features."""
        mass = self.mass + other.mass
        share = _share(other.mass, mass)
        step = other.mean - self.mean
        mean = self.mean + share[:, None] * step
        between, both = self.mass * share, (self, other)
        rows = sum(len(one.scatter) for one in both if one.form in BY_ROWS) + len(mass)
        if self.form == other.form and rows < mean.shape[1]:
            R = Deviations.joined([one.scatter for one in both], np.sqrt(between[:, None]) * step)
            return ClassMoments(self.form, mass, mean, R)
        form = "full" if {self.form, other.form} & {"class_rows", "full"} else "tied"
        parts = [one.scatter.outer(form) if one.form in BY_ROWS else one.scatter for one in both]
        return ClassMoments(form, mass, mean, sum(parts) + SQUARES[form](step, between))


def _share(part: Array, whole: Array) -> Array:
    """part / whole, 0 where whole is 0."""
    return np.divide(part, whole, out=np.zeros_like(part, dtype=float), where=whole > 0)


def _no_rows(*_: Any) -> Array:
    raise NotApplicable(
        "rows cannot be subtracted from this fit, which keeps its scatter as rows; fit without them."
    )


# Σ_k w_k s_k s_kᵀ of vectors s (K, d), one for each class
SQUARES: dict[str, Callable[..., Array]] = {
    "means": lambda s, w: s[..., :0],
    "diagonal": lambda s, w: w[..., None] * s * s,
    "full": lambda s, w: (w[..., None] * s)[..., :, None] * s[..., None, :],
    "tied": lambda s, w: np.swapaxes(w[..., None] * s, -1, -2) @ s,
    "rows": _no_rows,
    "class_rows": _no_rows,
}


def _squares(rows: Matrix, w: Array, m: Array, D: Matrix, off: Array | float) -> Array:
    """Σ w (x − m)² of each column."""
    if not sp.issparse(rows):
        return np.maximum(w @ np.square(D, out=D) - w.sum() * off**2, 0)
    D.data **= 2
    return w @ D + _unstored(rows, w) * m**2


def _outer(rows: Matrix, w: Array, m: Array, D: Matrix, off: Array | float) -> Array:
    """Σ w (x − m)(x − m)ᵀ."""
    if not sp.issparse(rows):
        D -= off
        D *= np.sqrt(w)[:, None]
        return D.T @ D  # a product of a matrix with its transpose (syrk): half the work
    shift = np.where(_unstored(rows, w) > 0, 0, m)  # columns without zeros may be far from 0
    near, rest = _deviations(rows, shift), m - shift
    product = (near.T @ _times(near, w)).toarray() - w.sum() * np.outer(rest, rest)
    np.fill_diagonal(product, _squares(rows, w, m, D, off))  # without cancellation
    return product


def _rows(rows: Matrix, w: Array, m: Array, D: Matrix, off: Array | float) -> Any:
    """(near, t, √w) of Deviations."""
    roots = np.sqrt(w)
    if not sp.issparse(rows):
        D -= off
        D *= roots[:, None]
        return D, None, roots
    shift = np.where(_unstored(rows, w) > 0, 0, m)  # columns without zeros may be far from 0
    return _times(_deviations(rows, shift), roots), m - shift, roots


def _deviations(rows: sp.csr_array, m: Array) -> sp.csr_array:
    return sp.csr_array((rows.data - m[rows.indices], rows.indices, rows.indptr), rows.shape)


def _unstored(rows: sp.csr_array, w: Array) -> Array:
    """Total weight of the zeros of each column."""
    stored = np.bincount(rows.indices, np.repeat(w, np.diff(rows.indptr)), rows.shape[1])
    full = np.bincount(rows.indices, minlength=rows.shape[1]) == rows.shape[0]
    return np.where(full, 0, np.maximum(w.sum() - stored, 0))


def _times(rows: sp.csr_array, w: Array) -> sp.csr_array:
    return sp.csr_array(
        (rows.data * np.repeat(w, np.diff(rows.indptr)), rows.indices, rows.indptr), rows.shape
    )


FORMS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "means": (lambda rows, w, m, D, off: m[:0], np.array),
    "diagonal": (_squares, np.array),
    "full": (_outer, np.array),
    "tied": (_outer, sum),
    "rows": (_rows, Deviations.stacked),
    "class_rows": (_rows, Deviations.stacked),
}
