"""The inequalities  Z d ≥ 0  of a separation problem, with rows  Z_i = y_i (x_i − shift, 1)/scale.

Shift and scale bring every column into [−1, 1], so that tolerances apply to all columns alike. Dense columns are
shifted if there is a constant feature; sparse columns, and hyperplanes through the origin, are only scaled. A constant
column becomes exactly 0, which subtracting a rounded mean would not achieve. Scales are powers of two, so that the same
rows can be expressed in integers without rounding.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Index, Matrix

# Exact integer arithmetic: floats are integers times powers of two, so separation can be decided exactly.
#
# Fraction-free elimination keeps integers: every division is exact, and entries are minors of the matrix, which bounds
# their size.   Bareiss (1968), Mathematics of Computation 22

FITS = 62  # bits of an int64


def integers(A: Array, power: Array | int = 0) -> Array:
    """A·2^power times a power of two, as the smallest integers: int64, or Python's integers."""
    mantissa, exponent = np.frexp(np.asarray(A, float))
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    spare = np.log2(np.where(whole == 0, 1, whole & -whole)).astype(int)  # trailing zeros
    whole >>= spare
    exponent = exponent + power + spare
    used = whole != 0
    shift = np.where(used, exponent - exponent[used].min() if used.any() else 0, 0)
    bits = np.where(used, shift + 53 - spare, 0)
    if bits.max(initial=0) <= FITS:
        return whole << shift
    return whole.astype(object) << shift.astype(object)


def product(A: Array, B: Array) -> Array:
    """A B without overflow."""
    if A.dtype != object and B.dtype != object:
        largest = int(np.abs(A).max(initial=0)) * int(np.abs(B).max(initial=0)) * A.shape[-1]
        if largest.bit_length() <= FITS:
            return A @ B
    return A.astype(object) @ B.astype(object)


def smallest(vector: Array) -> Array:
    """The direction of an integer vector in the smallest integers."""
    vector = vector.astype(object)
    divisor = math.gcd(*vector)
    return vector // divisor if divisor > 1 else vector


def echelon(A: Array) -> tuple[Array, list[int], list[int]]:
    """Gauss–Jordan elimination: (E, rows, columns). E has a pivot in each of `columns`, all equal.

    `rows` are those of the pivots; the other rows depend on them and are left out.
    """
    A, order, columns, last = A.astype(object), np.arange(len(A)), list[int](), 1
    for j in range(A.shape[1]):
        k = len(columns)
        if k == len(A):
            break
        left = np.flatnonzero(A[k:, j])
        if not len(left):
            continue
        swap = k + int(left[0])
        A[[k, swap]], order[[k, swap]] = A[[swap, k]], order[[swap, k]]
        pivot, pivot_row = A[k, j], A[k].copy()
        A = (A * pivot - np.multiply.outer(A[:, j], pivot_row)) // last
        A[k], last = pivot_row, pivot
        columns.append(j)
    return A[: len(columns)], order[: len(columns)].tolist(), columns


def null_space(A: Array) -> Array:
    """Columns of integers that span {d : A d = 0}."""
    E, _, columns = echelon(A)
    free = np.setdiff1d(np.arange(A.shape[1]), columns)
    N = np.zeros((A.shape[1], len(free)), dtype=object)
    for k, j in enumerate(free):
        N[j, k] = E[0, columns[0]] if columns else 1
        N[columns, k] = -E[:, j]
        N[:, k] = smallest(N[:, k])
    return N


# The point of a convex hull that is nearest to the origin, in integer arithmetic: it decides separability exactly.
#
#     min ‖x‖,   x = Σ λ_i Z_i,   λ ≥ 0,  Σ λ_i = 1.
#
# If x ≠ 0, then Z_i·x ≥ ‖x‖² > 0 for all rows: x separates, with the maximum margin. x = 0 proves that nothing does;
# then every d with Z d ≥ 0 is orthogonal to the rows with λ_i > 0, and the others are decided in the orthogonal
# complement. There is no tolerance, and ‖x‖ decreases with every step, so the algorithm is finite.
# Wolfe (1976), Mathematical Programming 11


class Decision(NamedTuple):
    direction: Array | None  # integers: Z d ≥ 0, and > 0 on every row where that is possible
    multipliers: Array  # fractions: > 0 on all other rows, and Zᵀλ = 0


def decide_exactly(Z: Array) -> Decision:
    """Decide the separability of a matrix of integers."""
    basis = np.eye(Z.shape[1], dtype=np.int64).astype(object)
    left, multipliers = np.arange(len(Z)), np.full(len(Z), Fraction(0))
    while True:
        A = product(Z[left], basis)
        flat = (A == 0).all(axis=1)
        if flat.any():
            _join(Z, multipliers, left[flat], [Fraction(1)] * int(flat.sum()))
        left, A = left[~flat], A[~flat]
        if not len(left):
            return Decision(None, multipliers)
        chosen, weights, x = nearest_point(A)
        if x is not None:
            return Decision(smallest(basis @ x), multipliers)
        _join(Z, multipliers, left[chosen], weights)
        basis = basis @ null_space(A[chosen])
        left = np.delete(left, chosen)


def _join(Z: Array, multipliers: Array, rows: Array, weights: list[Fraction]) -> None:
    """Σ λ_i Z_i of the joining rows is in the span of the previous ones: subtract it from their multipliers."""
    common = lcm(*(w.denominator for w in weights))
    total = np.array([int(w * common) for w in weights], dtype=object) @ Z[rows].astype(object)
    before = np.flatnonzero(multipliers)
    share = Fraction(1)
    if total.any():
        E, _, columns = echelon(np.column_stack([Z[before].T, total]))
        taken = [Fraction(int(v), int(E[0, columns[0]]) * common) for v in E[:, -1]]
        basis = before[columns]
        most = [multipliers[i] / t / 2 for i, t in zip(basis, taken, strict=True) if t > 0]
        share = min([Fraction(1), *most])
        for i, t in zip(basis, taken, strict=True):
            multipliers[i] -= share * t
    multipliers[rows] = [share * w for w in weights]


def nearest_point(Z: Array) -> tuple[list[int], list[Fraction], Array | None]:
    """(rows, their λ, a multiple of the point, or None if it is the origin)."""
    Z = Z.astype(object)
    chosen, weights = [int(np.argmin((Z * Z).sum(axis=1)))], [Fraction(1)]
    while True:
        common = lcm(*(w.denominator for w in weights))
        x = np.array([int(w * common) for w in weights], dtype=object) @ Z[chosen]
        if not x.any():
            return chosen, weights, None
        x = smallest(x)
        products = Z @ x
        new = int(np.argmin(products))
        if products[new] >= products[chosen[0]]:  # the same for all chosen rows
            return chosen, weights, x
        chosen, weights = _with(Z, [*chosen, new], [*weights, Fraction(0)])


def _with(Z: Array, chosen: list[int], weights: list[Fraction]) -> tuple[list[int], list[Fraction]]:
    """The nearest point of the affine hull of these rows, or of a face that is met on the way there."""
    while True:
        wanted = _of_plane(Z[chosen])
        if min(wanted) > 0:
            return chosen, wanted
        pairs = list(zip(weights, wanted, strict=True))
        share = min(old / (old - new) for old, new in pairs if new <= 0)
        moved = [old + share * (new - old) for old, new in pairs]
        kept = [k for k, weight in enumerate(moved) if weight > 0]
        chosen, weights = [chosen[k] for k in kept], [moved[k] for k in kept]


def _of_plane(A: Array) -> list[Fraction]:
    """Weights α, Σ α = 1, of the point of the affine hull that is nearest to 0:  (A Aᵀ + 11ᵀ) α ∝ 1."""
    one = np.ones((len(A), 1), dtype=np.int64).astype(object)
    E, _, _ = echelon(np.hstack([A @ A.T + 1, one]))
    total = int(E[:, -1].sum())
    return [Fraction(int(v), total) for v in E[:, -1]]


UNIT = np.finfo(float).eps / 2  # relative error of one operation
FAR_SPREADS = 10  # spreads of a column above which it is shifted row by row
TINY = np.finfo(float).tiny


class SignedRows:
    """`take` and `exactly` return some rows; `times` and `rmatvec` compute products with all rows."""

    def __init__(self, X: Matrix, y: Array, constant: bool, centre: bool = True):
        self.X, self.y, self.constant = X, y, constant
        self.is_sparse = sparse.issparse(X)
        self.n_rows, self.n_features = X.shape
        self.width = self.n_features + constant
        columns = X.tocsc() if self.is_sparse else X  # once; min and max would each convert
        self.low, self.high = columns.min(axis=0), columns.max(axis=0)
        if self.is_sparse:
            self.low, self.high = self.low.toarray().ravel(), self.high.toarray().ravel()
        centred = centre and constant and not self.is_sparse
        self.shift = self.low / 2 + self.high / 2 if centred else np.zeros(self.n_features)
        spread = self.high / 2 - self.low / 2 if centred else np.maximum(-self.low, self.high)
        # at least the largest entry minus its shift, however rounded
        self.power = np.minimum(1 - np.frexp(spread)[1], 1000) - centred
        self.inverse = np.where(spread > 0, np.ldexp(1.0, self.power), 0)
        self.is_far = bool((np.abs(self.shift) * self.inverse).max(initial=0) > FAR_SPREADS)

    @property
    def used_columns(self) -> Array:
        """The columns with a nonzero entry."""
        return np.flatnonzero(np.append(self.inverse > 0, [True] * self.constant))

    def part(self, index: Array) -> SignedRows:
        """Some rows, as a separate problem."""
        return SignedRows(self.X[index], self.y[index], self.constant)

    def take(self, index: Index = slice(None)) -> Any:
        """Z of some rows, dense or CSR; only the shift is rounded."""
        X, y = self.X[index], self.y[index]
        if self.is_sparse:
            data = self.inverse[X.indices]
            data *= X.data
            data *= np.repeat(y, np.diff(X.indptr))
            Z = sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)
            ones = sparse.csr_array(y[:, None])
            return sparse.hstack([Z, ones], format="csr") if self.constant else Z
        Z = np.empty((len(y), self.width))
        body = Z[:, : self.n_features]
        np.subtract(X, self.shift, out=body)
        body *= self.inverse
        Z[:, self.n_features :] = 1
        Z *= y[:, None]
        return Z

    def exactly(self, index: Index = slice(None), columns: Any = None) -> Array:
        """Z of some rows (and columns) in integers, up to a power of two."""
        columns = np.arange(self.width) if columns is None else columns
        features = columns[columns < self.n_features]
        X = self.X[index]
        X = (X[:, features] if len(features) < self.n_features else X) * 1.0
        X = X.toarray() if self.is_sparse else X
        body = np.vstack([X, self.shift[features]]) * (self.inverse[features] > 0)
        body = np.column_stack([body, np.ones((len(body), 1))])
        both = integers(body, np.append(self.power[features], 0))
        Z = both[:-1]
        Z[:, : len(features)] = Z[:, : len(features)] - both[-1, : len(features)]
        if len(features) == len(columns):
            Z = Z[:, : len(features)]
        return Z * self.y[index].astype(np.int64)[:, None]

    def times(self, d: Array) -> Array:
        w, b = self.hyperplane(d)
        return self.y * (self.X @ w + b)

    def rmatvec(self, multipliers: Array) -> Array:
        """Zᵀλ, without the cancellation that X would have far from the origin."""
        if self.is_far:
            nonzero = np.flatnonzero(multipliers)
            return self.take(nonzero).T @ multipliers[nonzero]
        m = self.y * multipliers
        total = m.sum()
        g = (self.X.T @ m - self.shift * total) * self.inverse
        return np.append(g, total) if self.constant else g

    def hyperplane(self, d: Array) -> tuple[Array, float]:
        """(w, b) with y_i (w·x_i + b) = Z_i d, up to the rounding of b."""
        w = d[: self.n_features] * self.inverse
        return w, float(d[-1] - self.shift @ w) if self.constant else 0.0

    def coordinates(self, w: Array, b: float) -> Array:
        """d of (w, b), rounded."""
        d = np.divide(w, self.inverse, out=np.zeros(self.n_features), where=self.inverse > 0)
        return np.append(d, b + self.shift @ w) if self.constant else d

    def direction(self, w: Array, b: float) -> Array:
        """d in integers, up to a power of two."""
        d = np.divide(w, self.inverse, out=np.zeros(self.n_features), where=self.inverse > 0)
        if not self.constant:
            return integers(d).astype(object)
        nonzero = np.flatnonzero(w * self.shift)
        moved = sum((Fraction(w[j]) * Fraction(self.shift[j]) for j in nonzero), Fraction(b))
        both = [*map(Fraction, d.tolist()), moved]
        common = max(f.denominator for f in both)  # powers of two
        return np.array([int(f * common) for f in both], dtype=object)

    def rounding(self, w: Array, b: float) -> float:
        """Bound of the rounding error of x·w + b:  γ_n (|x|·|w| + |b|).   Higham (2002), §3.1"""
        size = np.maximum(-self.low, self.high) @ np.abs(w) + abs(b)
        return float(1.01 * UNIT * (np.count_nonzero(w) + 2) * size) + (self.width + 1) * TINY

    def are_right(self, w: Array, b: float) -> bool:
        """Whether y_i (w·x_i + b) > 0 for every row, in exact arithmetic."""
        with np.errstate(over="ignore", invalid="ignore"):
            z, off = self.y * (self.X @ w + b), self.rounding(w, b)
        if not np.isfinite(off) or z.min() < -off:
            return False
        if z.min() > off:
            return True
        d = self.direction(w, b)
        near, nonzero = np.flatnonzero(z <= off), np.flatnonzero(d)
        return bool((product(self.exactly(near, nonzero), d[nonzero]) > 0).all())

    def least(self, w: Array, b: float) -> float:
        """min y_i (w·x_i + b), to full precision."""
        z, off = self.y * (self.X @ w + b), self.rounding(w, b)
        close = np.flatnonzero(z <= z.min() + 2 * off)
        X = self.X[close]
        X, theta = X.toarray() if self.is_sparse else X, [*map(Fraction, w.tolist())]
        scores = [
            sum((Fraction(x) * t for x, t in zip(row, theta, strict=True) if x and t), Fraction(b))
            for row in X.tolist()
        ]
        return float(min(z * int(y) for z, y in zip(scores, self.y[close], strict=True)))


def contents_of_rows(X: Matrix) -> list[bytes]:
    """A key of each row: equal rows have equal keys."""
    if not sparse.issparse(X):
        return [row.tobytes() for row in X + 0.0]  # −0 is 0
    X = X.copy()
    X.eliminate_zeros()
    X.sort_indices()
    return [X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in pairwise(X.indptr)]
