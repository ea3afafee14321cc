"""Functions  f = Σ_j β_j k(x_j, ·) + b  in place of linear ones: what solvers see of a kernel.

theta = (β, b) are coordinates in the basis of kernel columns. In it the feature vector of row x_i is e_i. So
`pull`, Σ r_i φ(x_i), is r itself, gradients are gradients in function space, and the perceptron and
Newton's method over rows run unchanged. Only norms need the matrix:  ‖f‖² = βᵀKβ.
Schölkopf & Smola (2002), §4.2 (the representer theorem)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import lapack, solve_triangular

from linclass.base.arrays import Array, Index, Matrix, chosen_rows, diagonal, hashes, once
from linclass.base.design_matrix import Design
from linclass.linear.penalties.base import Level, Penalty

LOOKED_AT = 1000  # rows, of which every fourth is looked at
ROUNDING = 1e-12  # relative to k(x, x)


class KernelDesign(Design):
    """The matrix K of all rows, or `rows` of it; the basis always has all columns. `of` are the rows themselves, if
    they are known.
    """

    is_kernel: ClassVar[bool] = True

    def __init__(
        self, K: Array, intercept: bool = True, rows: Array | None = None, of: Matrix | None = None
    ):
        self.K, self.intercept, self.rows = K, bool(intercept), rows
        self.contents = K if of is None else of
        self.n_rows = len(K) if rows is None else len(rows)
        self.n_features = len(K)
        self.width = self.n_features + self.intercept
        self.passes = 0.0

    def scores(self, theta: Array) -> Array:
        n = self.n_features
        B = theta[..., :n]
        used = np.flatnonzero(B.any(axis=0) if B.ndim == 2 else B)
        few = 4 * len(used) < n  # columns of a symmetric K are its rows, which are contiguous
        Z = B[..., used] @ self.K[used] if few else B @ self.K
        Z = Z if self.rows is None else Z[..., self.rows]
        if self.intercept:
            Z += theta[..., n:]
        return Z

    def pull(self, R: Array) -> Array:
        self.passes += 1
        return self._embedded(slice(None) if self.rows is None else self.rows, R)

    def scores_of(self, rows: slice, theta: Array) -> Array:
        n = self.n_features
        Z = theta[..., :n] @ self.K[self._numbers(rows)].T
        return Z + theta[..., n:] if self.intercept else Z

    def pull_of(self, rows: slice, R: Array) -> Array:
        return self._embedded(self._numbers(rows), R)

    def row(self, i: int) -> tuple[Array, Array]:
        """Columns and values of [φ(x_i) 1]."""
        number = i if self.rows is None else int(self.rows[i])
        columns = np.array([number, self.n_features] if self.intercept else [number])
        return columns, np.ones(len(columns))

    def row_keys(self, rng: np.random.Generator) -> Array:
        contents = self.contents if self.rows is None else chosen_rows(self.contents, self.rows)
        return hashes(contents, rng)

    def gram_of(self, rows: slice) -> Array:
        numbers = self._numbers(rows)
        return self.K[numbers][:, numbers] + self.intercept

    def take(self, rows: Index) -> KernelDesign:
        """Some rows, or all in another order; K is shared."""
        return KernelDesign(self.K, self.intercept, np.arange(self.n_features)[rows], self.contents)

    @once
    def unexplained(self) -> float:
        """The share of k(x, x) of some rows that the functions of every fourth row's column do not explain."""
        every_fourth, others = np.arange(0, self.n_features, 4), np.arange(1, self.n_features, 4)
        others = others[:: 1 + self.n_features // LOOKED_AT]
        total = float(np.diag(self.K)[others].sum())
        M = self.K[np.ix_(every_fourth, every_fourth)]
        diagonal(M)[...] *= 1 + ROUNDING
        left, info = lapack.dpotrf(M.T, lower=1, overwrite_a=1)
        if info or not total:
            return 0.0
        half = solve_triangular(left, self.K[np.ix_(every_fourth, others)], lower=True)
        return 1 - float(np.vdot(half, half)) / total

    def restricted(self, rows: Array) -> KernelDesign:
        """Some rows, and functions of their kernel columns alone."""
        if len(rows) == self.n_rows:
            return self
        return KernelDesign(self.K[np.ix_(rows, rows)], self.intercept)

    def extend_theta(self, rows: Array, theta: Array) -> Array:
        """The parameters over all rows, from those over the given rows; the others are 0."""
        out = np.zeros(self.width)
        out[rows] = theta[: len(rows)]
        out[self.n_features :] = theta[len(rows) :]
        return out

    def products_among(self, rows: Array) -> Array:
        return self.K[np.ix_(rows, rows)]

    def products_of_all_rows(self) -> Array:
        return self.K if self.rows is None else self.products_among(self.rows)

    def squared_row_norms(self) -> Array:
        own = np.diag(self.K)
        return (own if self.rows is None else own[self.rows]) + self.intercept

    def combine(self, rows: Array, v: Array) -> Array:
        out = np.zeros(self.width)
        out[rows] = v
        return out

    def inner(self, g: Array, step: Array, along: Array) -> float:
        """⟨g, step⟩ in function space: K step is known from the scores of the step."""
        n = self.n_features
        b = float(step[n:].sum())
        return float(g[:n] @ (along - b)) + float(g[n:].sum()) * b

    def _numbers(self, rows: slice) -> Any:
        return rows if self.rows is None else self.rows[rows]

    def _embedded(self, rows: Any, R: Array) -> Array:
        out = np.zeros((*R.shape[:-1], self.width))
        out[..., : self.n_features][..., rows] = R
        if self.intercept:
            out[..., self.n_features] = R.sum(axis=-1)
        return out


# The penalty of kernel machines, ½‖f‖² in the space of the kernel.


@dataclass(frozen=True, eq=False)
class KernelNorm(Penalty):
    """½‖f‖² = ½ βᵀKβ: the L2 penalty of weights in the feature space of the kernel."""

    K: Array

    curvature: ClassVar[Level] = 1.0
    strongly_convex: ClassVar[bool] = True
    uniform: ClassVar[bool] = True

    def value(self, W: Array) -> float:
        used = np.flatnonzero(W)
        if 2 * len(used) < len(self.K):
            W = W[used]
            return 0.5 * float(W @ self.K[np.ix_(used, used)] @ W)
        return 0.5 * float(np.vdot(W, W @ self.K))

    def value_at(self, point: Any) -> float:
        """The scores contain K β."""
        n, theta = point.objective.design.n_features, point.theta
        fitted = point.scores - theta[..., n:] if theta.shape[-1] > n else point.scores
        return 0.5 * float(np.vdot(theta[..., :n], fitted))

    def conjugate(self, U: Array) -> float:
        return self.value(U)
