"""The inequalities  Z d ≥ 0  of a separation problem, with rows  Z_i = y_i (x_i − shift, 1)/scale.

Shift and scale bring every column into [−1, 1], so that tolerances apply to all columns alike. Dense columns are
shifted if there is a constant feature; sparse columns, and hyperplanes through the origin, are only scaled. A constant
column becomes exactly 0, which subtracting a rounded mean would not achieve. Scales are powers of two, so that the same
rows can be expressed in integers without rounding.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Index, Matrix
from linclass.separation.integers import integers, product

UNIT = np.finfo(float).eps / 2  # relative error of one operation
FAR = 10  # spreads of a column above which it is shifted row by row
TINY = np.finfo(float).tiny


class SignedRows:
    """`take` and `exactly` return some rows; `times` and `rmatvec` compute products with all rows."""

    def __init__(self, X: Matrix, y: Array, constant: bool, centre: bool = True):
        self.X, self.y, self.constant = X, y, constant
        self.is_sparse = sparse.issparse(X)
        self.n_rows, self.n_features = X.shape
        self.width = self.n_features + constant
        self.low, self.high = _range(X)
        centred = centre and constant and not self.is_sparse
        self.shift = self.low / 2 + self.high / 2 if centred else np.zeros(self.n_features)
        spread = self.high / 2 - self.low / 2 if centred else np.maximum(-self.low, self.high)
        # at least the largest entry minus its shift, however rounded
        self.power = np.minimum(1 - np.frexp(spread)[1], 1000) - centred
        self.inverse = np.where(spread > 0, np.ldexp(1.0, self.power), 0)
        self.is_far = bool((np.abs(self.shift) * self.inverse).max(initial=0) > FAR)

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
            indices, indptr = X.indices, X.indptr
            if self.constant:  # the last entry of every row
                ends = indptr[1:]
                data, indices = np.insert(data, ends, y), np.insert(indices, ends, X.shape[1])
                indptr = indptr + np.arange(len(indptr), dtype=indptr.dtype)
            return sparse.csr_array((data, indices, indptr), shape=(len(y), self.width))
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
        own = columns[columns < self.n_features]
        X = self.X[index]
        X = (X[:, own] if len(own) < self.n_features else X) * 1.0
        X = X.toarray() if self.is_sparse else X
        body = np.vstack([X, self.shift[own]]) * (self.inverse[own] > 0)
        body = np.column_stack([body, np.ones((len(body), 1))])
        both = integers(body, np.append(self.power[own], 0))
        Z = both[:-1]
        Z[:, : len(own)] = Z[:, : len(own)] - both[-1, : len(own)]
        if len(own) == len(columns):
            Z = Z[:, : len(own)]
        return Z * self.y[index].astype(np.int64)[:, None]

    def times(self, d: Array) -> Array:
        w, b = self.hyperplane(d)
        return self.y * (self.X @ w + b)

    def rmatvec(self, multipliers: Array) -> Array:
        """Zᵀλ, without the cancellation that X would have far from the origin."""
        if self.is_far:
            own = np.flatnonzero(multipliers)
            return self.take(own).T @ multipliers[own]
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
        own = np.flatnonzero(w * self.shift)
        moved = sum((Fraction(w[j]) * Fraction(self.shift[j]) for j in own), Fraction(b))
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
        own = np.flatnonzero(d)
        return bool((product(self.exactly(np.flatnonzero(z <= off), own), d[own]) > 0).all())

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


def _range(X: Matrix) -> tuple[Array, Array]:
    X = X.tocsc() if sparse.issparse(X) else X  # once; min and max would each convert
    low, high = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return low, high
