"""The equations of a guess of block pivoting, for given slopes of the rows outside F:

    (K β)_i + b − s_i/ℓ″ = k_i  for i in F,   Σ β = 0,   β_i = −w_i s_i/strength,

with K = XXᵀ and k_i the score of the kink of row i.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array, diagonal
from linclass.base.linear_algebra import conjugate_gradients
from linclass.linear.objective.objective import Objective

MAX_GRAM_ROWS = 3000  # up to which K is formed; a tenth of it if sparse, as products cost less
MIN_DIAGONAL = 1e-6  # of the mean K_ii: lower bound of each
JITTER = 1e-15  # of K_ii, added to it
MAX_PRODUCTS = 300  # for one system


def equations_of(objective: Objective) -> KinkEquations:
    """By Cholesky factorization where K is known or small, else by products with the rows."""
    design = objective.design
    most = MAX_GRAM_ROWS // 10 if design.is_sparse else MAX_GRAM_ROWS
    if design.is_kernel or design.n_rows <= most:
        return CholeskyEquations(objective, design.products_of_all_rows())
    return ConjugateGradientEquations(objective)


class KinkEquations:
    """Base of the two ways to solve them."""

    exact: ClassVar[bool]

    def __init__(self, objective: Objective, diagonal: Array):
        mean = float(diagonal.mean()) or 1.0
        self.design = objective.design
        self.diagonal = np.maximum(diagonal, MIN_DIAGONAL * mean)
        self.of_slopes = -objective.weights / objective.strength  # β = of_slopes · s
        self.soft = -1 / (self.of_slopes * objective.loss.smoothness)

    def solve(self, F: Array, kinks: Array, s: Array, tolerance: float) -> tuple[Array, Array]:
        """The slopes of all rows and theta, from the slopes s of the rows outside F."""
        raise NotImplementedError

    def theta(self, beta: Array, b: float) -> Array:
        theta = self.design.pull(beta)
        theta[self.design.n_features :] = b
        return theta


class CholeskyEquations(KinkEquations):
    """By Cholesky factorization of K_FF, with a small multiple of the diagonal added if it is singular."""

    exact: ClassVar[bool] = True

    def __init__(self, objective: Objective, K: Array):
        super().__init__(objective, np.diag(K))
        self.K = K

    def solve(self, F: Array, kinks: Array, s: Array, tolerance: float) -> tuple[Array, Array]:
        beta = self.of_slopes * s
        if not len(F):  # nor is there an intercept; LAPACK takes no empty system
            return s, self.theta(beta, 0.0)
        beta[F] = 0
        fixed = np.flatnonzero(beta)
        right = np.ones((len(F), 2))
        right[:, 0] = kinks[F] - beta[fixed] @ self.K[np.ix_(fixed, F)]
        M, lift = self._matrix(F), JITTER
        _, left, info = lapack.dposv(M, right, lower=1, overwrite_a=1)
        while info:
            if lift > 1:
                raise ValueError("inner products of the rows overflow; standardize the columns.")
            lift *= 100
            M = self._matrix(F)
            diagonal(M)[...] += lift * self.diagonal[F]
            _, left, info = lapack.dposv(M, right, lower=1, overwrite_a=1)
        b = 0.0
        if self.design.intercept:
            b = (left[:, 0].sum() + beta.sum()) / left[:, 1].sum()
        beta[F] = left[:, 0] - b * left[:, 1]
        return beta / self.of_slopes, self.theta(beta, b)

    def _matrix(self, F: Array) -> Array:
        M = self.K[np.ix_(F, F)]
        diagonal(M)[...] += self.soft[F] + JITTER * self.diagonal[F]
        return M.T


class ConjugateGradientEquations(KinkEquations):
    """By conjugate gradients over β with the right sum, preconditioned by the diagonal; K is never formed."""

    exact: ClassVar[bool] = False

    def __init__(self, objective: Objective):
        super().__init__(
            objective, objective.design.squared_row_norms() - objective.design.intercept
        )

    def solve(self, F: Array, kinks: Array, s: Array, tolerance: float) -> tuple[Array, Array]:
        among, soft = self.design.gram_of_rows(F), self.soft[F]
        d, b = 1 / (self.diagonal[F] + soft), 0.0
        beta = self.of_slopes * s
        if self.design.intercept:
            beta[F] -= beta.sum() / d.sum() * d

        def without_intercept(r: Array) -> Array:
            nonlocal b
            b += (move := float(d @ r) / float(d.sum()))
            return r - move

        step, *_ = conjugate_gradients(
            lambda p: (among(p) + soft * p, None),
            kinks[F] - self.design.scores(self.theta(beta, 0.0))[F] - soft * beta[F],
            tolerance * len(F) ** 0.5,
            precondition=lambda r: d * r,
            project=without_intercept if self.design.intercept else None,
            most=MAX_PRODUCTS,
        )
        beta[F] += step
        return beta / self.of_slopes, self.theta(beta, b)
