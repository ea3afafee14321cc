"""Fewest errors in terms of inequalities: row i is correct if all its  Z_j d > 0,  and costs c_i otherwise.

Two classes have one inequality per row, y_i (w·x_i + b) > 0; K classes have K − 1, z_y > z_k for each other class. A
row on the boundary counts as misclassified. Equal rows are merged, with the sum of their weights,
in an order that depends on their content and not on their position.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix
from linclass.separation.proofs.signed_rows import SignedRows


class ZeroOneProblem:
    """min over d of Σ c_i [some Z_j d ≤ 0, j of row i];  `d` is in scaled coordinates, which `theta` undoes."""

    owner: Array  # the row of each inequality

    def __init__(self, X: Matrix, codes: Array, weights: Array, n_classes: int, intercept: bool):
        first, self.costs = distinct(X, codes, weights)
        self.n_rows, self.n_classes, self.intercept = len(first), n_classes, intercept
        self.codes = codes = codes[first]
        y = np.where(codes == 1, 1.0, -1.0) if n_classes == 2 else np.ones(len(first))
        self.rows = SignedRows(X[first], y, intercept, centre=n_classes == 2)
        Z = self.rows.take()
        self.Z, self.owner = (
            (Z, np.arange(len(first))) if n_classes == 2 else _pairs(Z, codes, n_classes)
        )
        self.total = float(self.costs.sum())

    def margins(self, d: Array) -> Array:
        """The least Z_j d of every row."""
        return np.minimum.reduceat(self.Z @ d, self.starts)

    def cost(self, d: Array) -> float:
        return float(self.costs[self.margins(d) <= 0].sum())

    @property
    def starts(self) -> Array:
        """First inequality of each row; the inequalities of a row are consecutive."""
        return np.arange(0, len(self.owner), max(self.n_classes - 1, 1))

    def inequalities(self, rows: Array) -> Array:
        """Mask of the inequalities that belong to the rows of a mask."""
        return rows[self.owner]

    def inequalities_of(self, index: Array) -> SignedRows:
        """Some of the inequalities, without rounding."""
        if self.n_classes == 2:
            return self.rows.part(index)
        return SignedRows(self.Z[index], np.ones(len(index)), constant=False)

    def d_of(self, w: Array, b: float) -> Array:
        """d of a hyperplane of those inequalities."""
        return self.rows.coordinates(w, b) if self.n_classes == 2 else w

    def cost_of_scores(self, W: Array, b: Array) -> float:
        """The cost of the scores as predictions compute them, with the same rounding."""
        scores = self.rows.X @ W.T + b
        if self.n_classes == 2:
            return float(self.costs[self.rows.y * scores[:, 0] <= 0].sum())
        own = scores[np.arange(self.n_rows), self.codes]
        scores[np.arange(self.n_rows), self.codes] = -np.inf
        return float(self.costs[own <= scores.max(axis=1)].sum())

    def scores(self, d: Array) -> tuple[Array, Array]:
        """(W, b), one score for two classes, else one per class."""
        if self.n_classes == 2:
            w, b = self.rows.hyperplane(d)
            return w[None], np.array([b])
        planes = [self.rows.hyperplane(part) for part in d.reshape(self.n_classes - 1, -1)]
        planes.append((np.zeros(self.rows.n_features), 0.0))  # the last class is the reference
        return np.array([w for w, _ in planes]), np.array([b for _, b in planes])


class Answer(NamedTuple):
    """d with its cost, and a lower bound of the cost of every d."""

    d: Array
    cost: float
    bound: float
    nodes: int = 0


def distinct(X: Matrix, codes: Array, weights: Array) -> tuple[Array, Array]:
    """(a row of each kind, in canonical order; summed weights)."""
    groups: dict[bytes, list[int]] = {}
    for i, content in enumerate(_contents(X)):
        groups.setdefault(int(codes[i]).to_bytes(8, "big") + content, []).append(i)
    members = [groups[key] for key in sorted(groups)]
    return np.array([m[0] for m in members]), np.array([weights[m].sum() for m in members])


def _contents(X: Matrix) -> list[bytes]:
    if not sparse.issparse(X):
        return [row.tobytes() for row in X + 0.0]  # −0 is 0
    X = X.copy()
    X.eliminate_zeros()
    X.sort_indices()
    ends = X.indptr
    return [X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in pairwise(ends)]


def _pairs(Z: Any, codes: Array, K: int) -> tuple[Any, Array]:
    """Rows (k ↦ z_y − z_k) over the weights of K − 1 classes, K − 1 of them for each row of Z."""
    n, p = Z.shape
    others = np.array([[k for k in range(K) if k != y] for y in range(K)])[codes].ravel()
    owner, own = np.repeat(np.arange(n), K - 1), np.repeat(codes, K - 1)
    sign = (np.arange(K - 1) == own[:, None]) * 1.0 - (np.arange(K - 1) == others[:, None])
    if sparse.issparse(Z):
        blocks = [sparse.diags_array(sign[:, k]) @ Z[owner] for k in range(K - 1)]
        return sparse.csr_array(sparse.hstack(blocks)), owner
    return (sign[:, :, None] * Z[owner][:, None, :]).reshape(len(owner), (K - 1) * p), owner
