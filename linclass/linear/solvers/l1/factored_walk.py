"""The walk along the lasso's path by orthogonal factors, which keeps the digits that the squares of ill-conditioned
features lose:  with X_c = √w (X − x̄), of the support A = Q R,

    w_A(λ) = R⁻¹ (Qᵀz − λ u),   u = R⁻ᵀ σ_A,   slopes = X_cᵀ (z − Q (Qᵀz − λ u)).

At every kink weights and slopes are computed anew, so errors do not add up. The rows are reduced to a triangle once.
Golub & Van Loan (2013), §5.2, §6.5
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr_delete, solve_triangular

from linclass.base.arrays import BLOCK, Array
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.l1.centred_gram import CentredGram
from linclass.linear.solvers.l1.homotopy import Walk

ROUNDING = 1e-13  # of the columns that combine to a feature: a remainder up to this is none


class FactoredWalk(Walk):
    def __init__(self, gram: CentredGram, objective: Objective, c: Array, drops: bool = True):
        triangle = _triangle(gram, objective)
        self.rows, self.z = triangle[:, :-1], triangle[:, -1]
        self.sizes = objective.design.column_norms(objective.weights)[: len(c)]
        self.Q, self.R = np.empty((len(self.rows), 0)), np.empty((0, 0))
        super().__init__(gram, c, drops)

    def _set_line(self) -> None:
        u = _solved(self.R, self.signs[self.support], "T")
        self.line[self.support] = _solved(self.R, u)
        self.turn = self.rows.T @ (self.Q @ u)

    def _settle(self) -> None:
        """Weights and slopes at this level, of a support without what joins or leaves here."""
        fit = self.Q.T @ self.z - self.level * _solved(self.R, self.signs[self.support], "T")
        self.w[self.support] = _solved(self.R, fit)
        self.slope = self.rows.T @ (self.z - self.Q @ fit)

    def _join(self, j: int) -> None:
        """By Gram and Schmidt's method, twice."""
        self._settle()
        self.open[:2, j] = False
        x, Q, m = self.rows[:, j], self.Q, self.size
        h = Q.T @ x
        again = Q.T @ (x - Q @ h)
        q, h = x - Q @ h - Q @ again, h + again
        left, others = float(np.linalg.norm(q)), np.abs(_solved(self.R, h))
        if left <= ROUNDING * (self.sizes[j] + others @ self.sizes[self.support]):
            return
        self.Q = np.column_stack([Q, q / left])
        self.R = np.block([[self.R, h[:, None]], [np.zeros((1, m)), np.array([[left]])]])
        self._features[m] = j
        self.size, self.signs[j] = m + 1, np.sign(self.slope[j])
        self.moves.append((j, 1))

    def _leave(self, j: int) -> None:
        i = int(np.flatnonzero(self.support == j)[0])
        Q, R = qr_delete(self.Q, self.R, i, which="col")
        self.Q, self.R = Q[:, : self.size - 1], R[: self.size - 1]  # a square Q stays square
        self._features[i : self.size - 1] = self._features[i + 1 : self.size].copy()
        self.size, self.signs[j], self.line[j], self.w[j] = self.size - 1, 0, 0, 0
        self._settle()
        self.moves.append((j, -1))
        self.open[:2] = self.signs == 0  # also features that depended on it

    def _anew(self) -> None:
        """Nothing has accumulated."""


def _triangle(gram: CentredGram, objective: Objective) -> Array:
    """R of the rows √w [x − x̄, y − ȳ] = Q R, block by block."""
    y, roots, d = objective.y - gram.y_mean[0], np.sqrt(objective.weights), len(gram.mean)
    R: Array = np.zeros((0, d + 1))
    for begin in range(0, len(y), BLOCK):
        some = slice(begin, begin + BLOCK)
        rows = objective.design.take(some).columns(np.arange(d), gram.mean, roots[some])
        rows = np.column_stack([rows, roots[some] * y[some]])
        R = np.asarray(np.linalg.qr(np.vstack([R, rows]), mode="r"))
    return R


def _solved(R: Array, b: Array, trans: str = "N") -> Array:
    return solve_triangular(R, b, trans=trans, check_finite=False) if len(b) else b
