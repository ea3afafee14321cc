"""Laplace's posterior of one score for more features than rows, by products of the rows.

With the curvatures D of the rows, K = √D XXᵀ√D + αI (n, n), r = √D 1 and q = K⁻¹r the lemma of Woodbury gives for the
Hessian A of weights and intercept

    ln det A = (d − n) ln α + ln det K + ln α rᵀq,   γ = n − α tr K⁻¹ − 1 + α qᵀq/rᵀq,
    xᵀA⁻¹x = (‖x‖² − ‖K^{−½}√D Xx‖²)/α + (1 − qᵀ√D Xx)²/(α rᵀq);

without an intercept the terms with q are left out.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from linclass.base.arrays import Array, Matrix, diagonal
from linclass.base.messages import require_memory
from linclass.bayes.laplace_posterior import WeightsPosterior
from linclass.bayes.posterior_of_scores import row_units
from linclass.discriminant.statistics.deviations import Deviations
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution

EXACT = 1e-12  # tolerance of the mode: the strength is chosen by the size of its weights


class RowPosterior(WeightsPosterior):
    """At the minimum of an objective; `rows` are those of its design, with their Gram matrix."""

    def __init__(self, objective: Objective, total: float, solution: Solution, rows: Deviations):
        self.objective, self.total, self.solution, self.rows = objective, total, solution, rows
        point = objective.at(solution.theta)
        self.roots = np.sqrt(total * objective.weights * point.curvatures)
        K = rows.gram * self.roots
        K *= self.roots[:, None]
        diagonal(K)[...] += self.alpha
        self.L, _ = lapack.dpotrf(K.T, lower=1, overwrite_a=1, clean=1)
        self.intercept = objective.design.intercept
        self.q = lapack.dpotrs(self.L, self.roots, lower=1)[0]
        self.pull = float(self.roots @ self.q)  # rᵀq
        self.n_effective = self._determined()

    def _determined(self) -> float:
        """γ"""
        inverse, _ = lapack.dtrtri(self.L, lower=1)
        found = len(self.L) - self.alpha * float(np.vdot(inverse, inverse))
        if self.intercept:
            found += self.alpha * float(self.q @ self.q) / self.pull - 1
        return self.positive(found)

    def log_evidence(self) -> float:
        """Intercepts have the density 1."""
        n, free = len(self.L), int(self.intercept)
        log_det = 2 * np.log(self.L.diagonal()).sum() - n * np.log(self.alpha)  # A beside the prior
        if free:
            log_det += np.log(self.alpha * self.pull)
        found = 0.5 * free * np.log(2 * np.pi) - 0.5 * log_det
        return float(found - self.total * self.solution.objective)

    def deviations(self, X: Matrix, largest: float) -> Array:
        """√(xᵀA⁻¹x) (n, 1) of rows about the mean of those of the fit."""
        unit = row_units(X)
        if sparse.issparse(X):
            X = sparse.csr_array(sparse.diags_array(1 / unit[:, 0]) @ X)
            lengths = X.power(2).sum(axis=1)
        else:
            X = X / unit
            lengths = np.einsum("ij,ij->i", X, X)
        U = self.rows.products(X) * self.roots
        V = lapack.dtrtrs(self.L, U.T, lower=1)[0]
        squares = np.maximum(lengths - np.einsum("ij,ij->j", V, V), 0)
        if self.intercept:
            squares += (1 / unit[:, 0] - U @ self.q) ** 2 / self.pull
        return np.minimum(unit * np.sqrt(squares / self.alpha)[:, None], largest)

    @property
    def covariance(self) -> Array:
        d = self.rows.shape[1]
        require_memory(32 * d * d, f"covariance_ is a dense {d} × {d} matrix")
        U = self.rows.dense() * self.roots[:, None]
        V = lapack.dtrtrs(self.L, U, lower=1)[0]
        B = (np.eye(d) - V.T @ V) / self.alpha
        if not self.intercept:
            return B
        pulled = self.q @ U
        c = self.alpha * self.pull
        return np.block(
            [
                [B + np.outer(pulled, pulled) / c, -pulled[:, None] / c],
                [-pulled[None] / c, np.full((1, 1), 1 / c)],
            ]
        )


def undivided(X: Matrix) -> Deviations:
    """Rows with their products, as of one class with the mean 0."""
    n, d = X.shape
    rest = np.zeros((1, d)) if sparse.issparse(X) else None
    return Deviations(X, rest, np.ones(n), np.zeros(n, dtype=int), 1)
