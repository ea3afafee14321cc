"""Moments of classes that can be added and subtracted: the sufficient statistics of Gaussian methods.

The moments of the union of two sets of rows, or of their difference, follow from the difference of their means,
    n = n₁ ± n₂,   m = m₁ ± (n₂/n)(m₂ − m₁),   S = S₁ ± S₂ ± (n₁n₂/n)(m₂ − m₁)(m₂ − m₁)ᵀ,
so shards can be merged, and the training rows of a fold are all rows minus those of the fold. Squares are always
about the mean of the class, so neither a far origin nor far classes cause cancellation.

They are computed from the rows in two passes, and never as a difference of sums of squares. The mean is corrected by
the mean of the deviations, so a constant column has no deviation but in the last digit. Sparse rows stay sparse:
entries that are not stored deviate by −m_k. A class without rows has weight 0 and mean 0.

The scatter Σ w (x − m_k)(x − m_k)ᵀ has one of these forms: of single features (K, d), of all features in each class
(K, d, d), summed over the classes (d, d), or none. With fewer rows than features it is kept as rows R (n, d) with RᵀR
that sum ('rows'), or with those of each class ('class_rows').
Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import blas, lapack

from linclass.base.arrays import Array, Matrix, chosen_rows, frequent_columns, once
from linclass.base.messages import NotApplicable, require_memory

FORMS = ("means", "diagonal", "tied", "full", "rows", "class_rows")
BY_ROWS = ("rows", "class_rows")  # for fewer rows than features
ROUNDING = 1e-12  # relative to what was there before the subtraction
NEGLIGIBLE = 1e-14  # deviation from a mean, relative to it, that is rounding
LOST = 1e-3  # relative remainder below which a difference has lost too many digits
# square of what is left of a row, relative to the features times the largest square, that is rounding error
DEPENDENT = 1e-13


def placed(values: Array, places: Array, K: int, absent: float = 0.0) -> Array:
    """The values of some classes at their places among K."""
    wider = np.full((K, *values.shape[1:]), absent)
    wider[places] = values
    return wider


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Weight n_k (K,), mean m_k (K, d), and the scatter about m_k in a form of FORMS.

    A stack holds the moments of several folds, with a leading axis.
    """

    form: str
    mass: Array
    mean: Array
    scatter: Any  # an array, or Deviations if it is kept as rows; of a stack of rows a list

    @classmethod
    def of(cls, X: Matrix, codes: Array, weights: Array, K: int, form: str) -> ClassMoments:
        return cls(form, *moments(X, codes, weights, K, form))

    def of_part(self, X: Matrix, codes: Array, weights: Array) -> ClassMoments:
        """The moments of some of the rows, in the same form."""
        return self.of(X, codes, weights, len(self.mass), self.form)

    def __add__(self, other: ClassMoments) -> ClassMoments:
        mass = self.mass + other.mass
        share = np.divide(other.mass, mass, out=np.zeros_like(mass, dtype=float), where=mass > 0)
        step, between = other.mean - self.mean, self.mass * share
        mean = self.mean + share[:, None] * step
        form, both = self.form, [self.scatter, other.scatter]
        if {form, other.form} & {*BY_ROWS}:  # kept as rows as long as they are fewer than features
            lengths = [len(one) if isinstance(one, Deviations) else np.inf for one in both]
            if sum(lengths) + len(mass) < mean.shape[1]:
                R = Deviations.joined(both, np.sqrt(between[:, None]) * step)
                return ClassMoments(form, mass, mean, R)
            form = "full" if {form, other.form} & {"class_rows", "full"} else "tied"
            both = [one.outer(form) if isinstance(one, Deviations) else one for one in both]
        return ClassMoments(form, mass, mean, sum(both) + squares_of_classes(form, step, between))

    def __sub__(self, part: ClassMoments) -> ClassMoments:
        step = part.mean - self.mean
        squares = part.scatter + squares_of_classes(self.form, step, part.mass)
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
        scatter -= squares_of_classes(self.form, sums, inverse)
        if self.form == "diagonal":  # what subtraction leaves of a feature without variance is 0
            scatter[scatter <= ROUNDING * self.scatter] = 0
        elif self.form != "means":
            variances, before = (_diagonals(S) for S in (scatter, self.scatter))
            if (gone := variances <= ROUNDING * before).any():
                scatter[gone[..., :, None] | gone[..., None, :]] = 0
        return ClassMoments(self.form, left, mean, scatter)

    def lost(self, before: ClassMoments) -> Array:
        """Whether too little is left of what was there `before`, for each fold of a stack."""
        there = self.mass[..., None] > 0
        if self.form == "means":
            moved = np.where(there, np.abs(self.mean - before.mean), 0).max(axis=-2)
            return (LOST * moved > np.abs(self.mean).max(axis=-2)).any(axis=-1)
        was = before.squares
        spread = was > before.total * before.negligible**2
        lost = (self.squares <= LOST * was) & spread
        return lost.any(axis=-1) if self.form == "tied" else (lost & there).any(axis=(-2, -1))

    @property
    def squares(self) -> Array:
        """The diagonal of the scatter, of each class unless it is tied."""
        if self.form == "diagonal":
            return self.scatter
        if isinstance(self.scatter, list):
            return np.array([R.squares for R in self.scatter])
        return self.scatter.squares if self.form in BY_ROWS else _diagonals(self.scatter)

    def of_classes(self, kept: Array) -> ClassMoments:
        """The moments of some classes; the others have no rows."""
        scatter = self.scatter
        if self.form in ("diagonal", "full"):
            scatter = scatter[kept]
        elif self.form in BY_ROWS:
            scatter = scatter.among(np.cumsum(kept) - 1, kept.sum())
        return replace(self, mass=self.mass[kept], mean=self.mean[kept], scatter=scatter)

    def among(self, places: Array, K: int) -> ClassMoments:
        """The moments among K classes, with ours at these positions; the others have no rows."""
        scatter = self.scatter
        if self.form in ("diagonal", "full"):
            scatter = placed(scatter, places, K)
        elif self.form in BY_ROWS:
            scatter = scatter.among(places, K)
        mass, mean = (placed(values, places, K) for values in (self.mass, self.mean))
        return replace(self, mass=mass, mean=mean, scatter=scatter)

    def scaled(self, shift: Array, scale: Array) -> ClassMoments:
        """The moments of the rows (x − shift) / scale."""
        by = scale[..., None, :]
        mean, scatter = (self.mean - shift[..., None, :]) / by, self.scatter
        if isinstance(scatter, list):
            scatter = [R.scaled(own) for R, own in zip(scatter, scale, strict=True)]
        elif self.form in BY_ROWS:
            scatter = scatter.scaled(scale)
        elif self.form == "diagonal":
            scatter = scatter / by**2
        elif self.form != "means":
            by = scale[..., :, None] * by
            scatter = scatter / (by[..., None, :, :] if self.form == "full" else by)
        return replace(self, mean=mean, scatter=scatter)

    def times(self, factor: Any) -> ClassMoments:
        """The moments with all weights multiplied by a factor; of a stack, one for each fold."""
        by, scatter = np.asarray(factor), self.scatter
        if isinstance(scatter, list):
            scatter = [R.times(own) for R, own in zip(scatter, by, strict=True)]
        elif self.form in BY_ROWS:
            scatter = scatter.times(by)
        elif self.form != "means":
            scatter = scatter * by.reshape(by.shape + (1,) * (scatter.ndim - by.ndim))
        return replace(self, mass=self.mass * by[..., None], scatter=scatter)

    def split(self) -> list[ClassMoments]:
        """The moments of each fold of a stack."""
        scatter = self.scatter if self.form != "means" else [self.scatter] * len(self.mass)
        parts = zip(self.mass, self.mean, scatter, strict=True)
        return [ClassMoments(self.form, *part) for part in parts]

    def stacked(self) -> ClassMoments:
        """As a stack of one."""
        scatter: Any = [self.scatter] if self.form in BY_ROWS else self.scatter[None]
        scatter = self.scatter if self.form == "means" else scatter
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

    @property
    def negligible(self) -> Array:
        """A standard deviation of each feature that is rounding error."""
        return NEGLIGIBLE * np.abs(self.mean).max(axis=-2)


def squares_of_classes(form: str, s: Array, w: Array) -> Array:
    """Σ_k w_k s_k s_kᵀ in this form, of vectors s (…, K, d), one for each class."""
    if form == "means":
        return np.zeros(0)
    if form == "diagonal":
        return w[..., None] * s * s
    if form == "tied":
        return np.swapaxes(w[..., None] * s, -1, -2) @ s
    if form == "full":
        return (w[..., None] * s)[..., :, None] * s[..., None, :]
    raise NotApplicable(
        "rows cannot be subtracted from a scatter that is kept as rows; fit without them."
    )


def _diagonals(S: Array) -> Array:
    return np.diagonal(S, axis1=-2, axis2=-1)


class Deviations:
    """Deviations R = √w (x − m_k) of rows from the means of their classes: scatters of fewer rows than features.

    Sparse rows stay sparse: R = N − √w t_k, where N has the stored entries and t_k is the mean where zeros are not
    stored. Columns in which most rows have an entry are made dense in products, which is faster and loses no digits.

    `near` is R itself if dense, or N (n, d); `rest` are the t_k (K, d); `roots` are √w; `codes` are the classes.
    """

    def __init__(self, near: Matrix, rest: Array | None, roots: Array, codes: Array, K: int):
        self.near, self.rest, self.roots, self.codes, self.K = near, rest, roots, codes, K
        self._spans: dict[bool, RowSpan] = {}

    @classmethod
    def stacked(cls, classes: Sequence[tuple[Matrix, Array | None, Array]]) -> Self:
        """From (near, t_k, √w) of the rows of each class."""
        near, rest, roots = zip(*classes, strict=True)
        codes = np.repeat(np.arange(len(roots)), [*map(len, roots)])
        if rest[0] is None:
            return cls(np.vstack(near), None, np.concatenate(roots), codes, len(roots))
        joined = sp.csr_array(sp.vstack(near, format="csr"))
        return cls(joined, np.array(rest), np.concatenate(roots), codes, len(roots))

    @classmethod
    def joined(cls, parts: Sequence[Deviations], between: Array) -> Self:
        """Dense, with a row `between` (K, d) the means of each class."""
        K = len(between)
        near = np.vstack([*(part.dense() for part in parts), between])
        roots = np.concatenate([*(part.roots for part in parts), np.ones(K)])
        return cls(near, None, roots, np.concatenate([*(p.codes for p in parts), np.arange(K)]), K)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles omit what can be computed again."""
        return Deviations, (self.near, self.rest, self.roots, self.codes, self.K)

    def __len__(self) -> int:
        return len(self.roots)

    @property
    def shape(self) -> tuple[int, int]:
        return self.near.shape

    def scaled(self, by: Array) -> Deviations:
        """The columns divided by these numbers."""
        if self.rest is None:
            return Deviations(self.near / by, None, self.roots, self.codes, self.K)
        near = self.near.copy()
        near.data /= by[near.indices]
        return Deviations(near, self.rest / by, self.roots, self.codes, self.K)

    def times(self, factor: float) -> Deviations:
        """The same with all weights multiplied by a factor."""
        root = np.sqrt(factor)
        return Deviations(self.near * root, self.rest, self.roots * root, self.codes, self.K)

    def among(self, places: Array, K: int) -> Deviations:
        """The same, with the classes at these positions among K."""
        rest = None
        if self.rest is not None:
            rest, used = np.zeros((K, self.shape[1])), np.unique(self.codes)
            rest[places[used]] = self.rest[used]
        return Deviations(self.near, rest, self.roots, places[self.codes], K)

    def dense(self) -> Array:
        if self.rest is None:
            return self.near
        n, d = self.shape
        require_memory(16 * n * d, f"the deviations of {n} rows from their means are dense")
        return self.near.toarray() - self.roots[:, None] * self.rest[self.codes]

    def outer(self, form: str) -> Array:
        """RᵀR (d, d) for the form 'tied', or that of each class (K, d, d) for 'full'."""
        R = self.dense()
        if form == "tied":
            return R.T @ R
        return np.array([R[self.codes == k].T @ R[self.codes == k] for k in range(self.K)])

    def span(self, negligible: Array | None = None) -> RowSpan:
        """The span of the rows, computed once; in columns of unit norm if those up to `negligible` (d,) are given."""
        scaled = negligible is not None
        if scaled not in self._spans:
            self._spans[scaled] = RowSpan(self, negligible)
        return self._spans[scaled]

    @once
    def gram(self) -> Array:
        """RRᵀ (n, n)."""
        n = len(self)
        require_memory(
            6 * 8 * n * n, f"{n} rows of {self.shape[1]} features need {n} × {n} products"
        )
        if self.rest is None:
            return self.near @ self.near.T
        if not n:  # BLAS takes no empty matrix
            return np.zeros((0, 0))
        often = frequent_columns(self.near)
        many, few = np.flatnonzero(often), np.flatnonzero(~often)
        B = self.near[:, many].toarray() - self.roots[:, None] * self.rest[:, many][self.codes]
        N, T = self.near[:, few], self.rest[:, few]
        E = self.roots[:, None] * self._members  # (N − ET)(N − ET)ᵀ = NNᵀ − HEᵀ − EHᵀ
        H = N @ T.T - 0.5 * E @ (T @ T.T)
        G = (N @ N.T).toarray()
        G += B @ B.T
        left, right = np.hstack([H, E]).T, np.hstack([E, H]).T
        return blas.dgemm(-1.0, left, right, trans_a=1, beta=1.0, c=G.T, overwrite_c=1).T

    def products(self, M: Matrix) -> Array:
        """M Rᵀ (q, n)."""
        if self.rest is None:
            return M @ self.near.T
        products = (self.near @ M.T).T
        products = products.toarray() if sp.issparse(products) else products
        return products - (M @ self.rest.T)[:, self.codes] * self.roots

    def combine(self, V: Array) -> Array:
        """V R (q, d)."""
        if self.rest is None:
            return V @ self.near
        return (self.near.T @ V.T).T - ((V * self.roots) @ self._members) @ self.rest

    @property
    def _members(self) -> Array:
        """Indicators of the classes (n, K)."""
        return np.eye(self.K)[self.codes]

    @once
    def squares(self) -> Array:
        """Σ r² of each column and class (K, d), without cancellation."""
        K, d = self.K, self.shape[1]
        if self.rest is None:
            return self._members.T @ (self.near * self.near)
        counts = np.diff(self.near.indptr)
        k, j = np.repeat(self.codes, counts), self.near.indices
        w = np.repeat(self.roots**2, counts)
        deviations = self.near.data - np.sqrt(w) * self.rest[k, j]
        place = k.astype(np.intp) * d + j
        stored = np.bincount(place, w, K * d).reshape(K, d)
        squares = np.bincount(place, deviations**2, K * d).reshape(K, d)
        mass = np.bincount(self.codes, self.roots**2, K)[:, None]
        return squares + np.maximum(mass - stored, 0) * self.rest**2


class RowSpan:
    """The span of fewer rows than features, in columns of unit norm or in the units of the features.

    A pivoted Cholesky factorization of the Gram matrix RRᵀ divides the rows into r independent ones, R_I with
    R_I R_Iᵀ = LLᵀ, and combinations of them, R_D = C R_I. The coordinates of a point x are u = (LLᵀ)⁻¹R_I x; those of
    the rows are I and C.
    """

    def __init__(self, R: Deviations, negligible: Array | None):
        self.R = R
        self.scale = np.ones(R.shape[1])
        if negligible is not None:
            norms = np.sqrt(R.squares.sum(axis=0))
            self.scale = np.where(norms > negligible, norms, 0)
            R = R.scaled(np.where(self.scale > 0, norms, np.inf))
        self.unit, varies = R, self.scale > 0
        self.weight = np.divide(1, self.scale, out=np.zeros_like(self.scale), where=varies)
        G = np.array(R.gram.T)
        tolerance = max(DEPENDENT * R.shape[1] * G.diagonal().max(initial=0), 1e-300)
        factor, order, rank = G, np.arange(1), 0
        if len(G):  # LAPACK takes no empty matrix
            factor, order, rank, _ = lapack.dpstrf(G, lower=1, tol=tolerance, overwrite_a=1)
        self.own, self.others = np.split(order[: len(G)] - 1, [rank])
        self.L = np.tril(factor[:rank, :rank])
        self.C = self._solve(lapack.dtrtrs, factor[rank:, :rank].T, trans=1).T

    @property
    def rank(self) -> int:
        return len(self.own)

    @property
    def rows(self) -> Array:
        """The coordinates of R (n, r)."""
        U = np.empty((len(self.R), self.rank))
        U[self.own], U[self.others] = np.eye(self.rank), self.C
        return U

    def coordinates(self, X: Matrix) -> Array:
        """u (q, r) of rows X (q, d)."""
        products = self.unit.products(_scaled_columns(X, self.weight))
        return self._solve(lapack.dpotrs, products[:, self.own].T).T

    def combine(self, U: Array) -> Array:
        """The points (q, d) of the span with these coordinates."""
        return self.unit.combine(self._among(U)) * self.scale

    def directions(self, V: Array) -> Array:
        """θ (q, d) with θ·x = v·u."""
        V = self._solve(lapack.dpotrs, V.T).T
        return self.unit.combine(self._among(V)) * self.weight

    def squares(self, U: Array) -> Array:
        """Squared lengths of these coordinates, in the units of the columns."""
        return np.square(U @ self.L).sum(axis=1)

    @once
    def inverse(self) -> Array:
        """(LLᵀ)⁻¹: the identity in these coordinates."""
        return self._solve(lapack.dpotrs, np.eye(self.rank))

    @once
    def log_volume(self) -> float:
        """ln det R_I R_Iᵀ in the units of the features."""
        L = self.L
        if not (self.scale == 1).all():
            R = self.R if self.weight.all() else self.R.scaled(np.where(self.weight > 0, 1, np.inf))
            G = R.gram[np.ix_(self.own, self.own)]
            L = lapack.dpotrf(G.T, lower=1)[0] if self.rank else L
        return 2 * float(np.log(L.diagonal()).sum())

    def _among(self, U: Array) -> Array:
        whole = np.zeros((len(U), len(self.unit)))
        whole[:, self.own] = U
        return whole

    def _solve(self, solve: Any, right: Array, **options: Any) -> Array:
        """For an empty system, which LAPACK does not accept, the result is empty."""
        return solve(self.L, right, lower=1, **options)[0] if right.size else np.zeros_like(right)


def _scaled_columns(X: Matrix, by: Array) -> Matrix:
    if not sp.issparse(X):
        return X * by
    return sp.csr_array((X.data * by[X.indices], X.indices, X.indptr), X.shape)


def moments(X: Matrix, codes: Array, weights: Array, K: int, form: str) -> tuple[Array, Array, Any]:
    """(weight (K,), mean (K, d), scatter in this form)."""
    found = []
    for k in range(K):
        members = np.flatnonzero(codes == k)
        own = chosen_rows(X, members), weights[members]  # a copy of the rows
        found.append(_sparse_class(*own, form) if sp.issparse(X) else _dense_class(*own, form))
    mass, mean, scatter = zip(*found, strict=True)
    gathered: Any
    if form == "means":
        gathered = np.zeros(0)
    elif form == "tied":
        gathered = sum(scatter)
    else:
        gathered = Deviations.stacked(scatter) if form in BY_ROWS else np.array(scatter)
    return np.array(mass), np.array(mean), gathered


def _dense_class(D: Array, w: Array, form: str) -> tuple[float, Array, Any]:
    """(weight, mean, scatter) of the rows of a class, which are overwritten."""
    mass = w.sum()
    m = (w @ D) / (mass or 1.0)  # of a class without rows 0
    D -= m
    off = (w @ D) / (mass or 1.0)  # which rounding leaves
    if form == "means":
        return mass, m + off, None
    if form == "diagonal":
        return mass, m + off, np.maximum(w @ np.square(D, out=D) - mass * off**2, 0)
    D -= off
    roots = np.sqrt(w)
    D *= roots[:, None]
    # a product of a matrix with its transpose (syrk) is half the work
    return mass, m + off, (D, None, roots) if form in BY_ROWS else D.T @ D


def _sparse_class(rows: sp.csr_array, w: Array, form: str) -> tuple[float, Array, Any]:
    mass, d = w.sum(), rows.shape[1]
    each = np.repeat(w, np.diff(rows.indptr))
    stored = np.bincount(rows.indices, each, d)
    full = np.bincount(rows.indices, minlength=d) == rows.shape[0]
    zeros = np.where(full, 0, np.maximum(mass - stored, 0))  # weight of those of each column

    def deviations(m: Array) -> Array:
        return rows.data - m[rows.indices]

    def sums(values: Array) -> Array:
        return np.bincount(rows.indices, each * values, d)

    m = sums(rows.data) / (mass or 1.0)
    m += (sums(deviations(m)) - zeros * m) / (mass or 1.0)
    if form == "means":
        return mass, m, None
    squares = sums(deviations(m) ** 2) + zeros * m**2
    if form == "diagonal":
        return mass, m, squares
    shift = np.where(zeros > 0, 0, m)  # columns without zeros may be far from 0
    rest, roots = m - shift, np.sqrt(w)
    near = sp.csr_array((np.sqrt(each) * deviations(shift), rows.indices, rows.indptr), rows.shape)
    if form in BY_ROWS:
        return mass, m, (near, rest, roots)
    product = (near.T @ near).toarray() - mass * np.outer(rest, rest)
    np.fill_diagonal(product, squares)  # without cancellation
    return mass, m, product
