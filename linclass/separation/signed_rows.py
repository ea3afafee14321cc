"""The inequalities  Z d ≥ 0  of a separation, with rows  Z_i = y_i (x_i − shift, 1)/scale.

Shift and scale bring every column into [−1, 1], where tolerances mean the same for all: a constant
feature may be shifted along, sparse columns and hyperplanes through the origin are only scaled. A
column without spread becomes exactly 0, which the rounding of a mean would not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linclass.numerics import Array


class SignedRows:
    """`take` builds a few rows; `times` and `pull` go over all of them and build nothing."""

    def __init__(self, X: Any, y: Array, constant: bool):
        self.X, self.y, self.constant = X, y, constant
        self.is_sparse = sparse.issparse(X)
        self.n_rows, self.n_features = X.shape
        self.width = self.n_features + constant
        low, high = _range(X)
        centred = constant and not self.is_sparse
        self.shift = low / 2 + high / 2 if centred else np.zeros(self.n_features)
        spread = high / 2 - low / 2 if centred else np.maximum(-low, high)
        self.inverse = np.divide(1, spread, out=np.zeros_like(spread), where=spread > 0)

    def take(self, index: Any = slice(None)) -> Any:
        """Z of some rows, dense or CSR."""
        X, y = self.X[index], self.y[index]
        if self.is_sparse:
            Z = X.copy()
            Z.data *= self.inverse[Z.indices] * np.repeat(y, np.diff(Z.indptr))
            if self.constant:
                Z = sparse.csr_array(sparse.hstack([Z, y[:, None]], format="csr"))
            return Z
        Z = np.empty((len(y), self.width))
        body = Z[:, : self.n_features]
        np.subtract(X, self.shift, out=body)
        body *= self.inverse
        Z[:, self.n_features :] = 1
        Z *= y[:, None]
        return Z

    def times(self, d: Array) -> Array:
        w, b = self.hyperplane(d)
        return self.y * (self.X @ w + b)

    def pull(self, multipliers: Array) -> Array:
        """Zᵀλ."""
        m = self.y * multipliers
        total = m.sum()
        g = (self.X.T @ m - self.shift * total) * self.inverse
        return np.append(g, total) if self.constant else g

    def hyperplane(self, d: Array) -> tuple[Array, float]:
        """(w, b) with y_i (w·x_i + b) = Z_i d."""
        w = d[: self.n_features] * self.inverse
        return w, float(d[-1] - self.shift @ w) if self.constant else 0.0


def _range(X: Any) -> tuple[Array, Array]:
    low, high = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return low, high
