"""Voted perceptron: every weight vector that the perceptron has had votes, with the number of rows it survived,

    ŷ = sign Σ_m c_m sign(w_m·x + b_m),   w_m = w_{m−1} + y_i x_i at the m-th mistake, on row i,

c_m the visits from its mistake to the next one. It is not linear in x, and keeps the rows of its mistakes: w_m·x is a
cumulative sum of x_i·x over the first m of them, so M mistakes cost M products for each predicted row, not M weight
vectors. Trained for one pass on independent rows, the probability of an error on the next row is at most
2/(n + 1) times the expected least of ((R + D)/γ)², with D² = Σ max(0, γ − y u·x)² for any unit vector u, which allows
classes that overlap. With K classes each w_m votes for its largest score (Kesler's construction).

Predicts: scores, the share of the votes of each class; for two classes their difference.
Cost: O(n d K) per pass over the rows, and O(M (d + K)) per predicted row, for M mistakes.
Certificate: training mistakes, as a share of the visits while learning.
Reference: Freund & Schapire (1999), Machine Learning 37, theorem 1 and corollary 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import BLOCK, Array, Matrix, MatrixLike
from linclass.base.linear_scores import products
from linclass.base.messages import require_memory
from linclass.linear.solvers.corrections import PERCEPTRON, Block, Rule, Tally
from linclass.online.online_classifier import OnlineClassifier

CELLS = 4_000_000  # scores at a time


class VotedPerceptron(OnlineClassifier):
    """Parameters
    ----------
    max_iter : int, default=10
        Limit on the number of passes over the rows. The bound above is for one.

    Attributes
    ----------
    rows_ : array or sparse matrix of shape (M, d)
        The row of each correction.
    corrections_ : array of shape (M,) for two classes, (M, K) for more
        Factor of each correction in the scores.
    votes_ : array of shape (M,)
        Number of visits c that the weights survived after each correction.
    n_mistakes_
    """

    keeps_grams = True

    def _begin(self, X: Matrix, weights: Array) -> None:
        super()._begin(X, weights)
        self._kept: list[Any] = []  # rows of corrections, [x 1]
        self._factors: list[Array] = []
        self._starts: list[float] = []
        self._mistaken = 0.0

    def _rule(self) -> Rule:
        return PERCEPTRON

    def _visit(self, block: Block, codes: Array, weights: Array, tally: Tally) -> None:
        before = tally.visits
        rows, coefficients = self._correct(block, codes, weights, tally)
        first = coefficients.reshape(len(codes), -1)
        factors: dict[tuple[int, int], Array] = {}  # of a row at one of its visits
        for row, k, size, visits in rows.again:
            first[row, k] -= size
            factors.setdefault((row, visits), np.zeros(first.shape[1]))[k] = size
        factors |= {(row, 0): first[row] for row in np.flatnonzero(first.any(axis=1)).tolist()}
        if not factors:
            return
        order = sorted(factors)
        self._kept.append(block.rows[[row for row, _ in order]])
        self._factors.append(np.array([factors[at] for at in order]))
        self._starts += [before + rows.before[row] + visits for row, visits in order]

    def _report_mistakes(self, tally: Tally) -> None:
        super()._report_mistakes(tally)
        self._mistaken += tally.mistaken

    def _set_model(self) -> None:
        are_sparse, M = any(map(sparse.issparse, self._kept)), len(self._starts)
        width = self.n_features_in_ + bool(self.fit_intercept)
        if not are_sparse:  # stacked
            require_memory(8 * M * width, f"VotedPerceptron keeps the {M} rows of its corrections")
        rows = sparse.csr_array(sparse.vstack(self._kept)) if are_sparse else np.vstack(self._kept)
        self.rows_ = rows[:, : self.n_features_in_]
        factors = np.vstack(self._factors)
        self.corrections_ = factors[:, 0] if factors.shape[1] == 1 else factors
        self.votes_ = np.diff(np.append(self._starts, self._visits))

    def _certified(self, X: Matrix, codes: Array, weights: Array) -> dict[str, Any]:
        """The share of all visits that were mistakes: to predict the training rows may cost more than the fit."""
        return {
            "certificate": self._mistaken / self._visits,
            "certificate_kind": "training_mistakes",
        }

    def decision_function(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        M = len(self.votes_)
        size = max(1, min(BLOCK, CELLS // (M * max(1, self.corrections_[0].size))))
        parts = [self._votes_of(X[i : i + size]) for i in range(0, X.shape[0], size)]
        return np.concatenate(parts) / self.votes_.sum()

    def _votes_of(self, X: MatrixLike) -> Array:
        """Votes for the second of two classes minus those for the first, or votes for each class."""
        along = products(X, self.rows_) + bool(self.fit_intercept)
        if self.corrections_.ndim == 1:
            return np.sign(np.cumsum(along * self.corrections_, axis=1)) @ self.votes_
        Z = np.cumsum(along[:, :, None] * self.corrections_, axis=1)
        chosen = Z.argmax(axis=2)
        return np.stack(
            [(chosen == k) @ self.votes_ for k in range(self.corrections_.shape[1])], axis=1
        )
