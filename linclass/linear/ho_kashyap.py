"""Ho–Kashyap procedure: least squares with learned margins, which separates the classes or proves that nothing does,

    min ‖Z a − b‖²  over a and b > 0,   Z_i = y_i (x_i, 1),   e = Z a − b,
    a = Z⁺ b,   b ← b + 2η max(e, 0),   beginning with b = 1.

A margin b_i only grows, where its row lies beyond it. If the classes are separable, Z a > 0 after finitely many steps,
for 0 < η < 1. If not, e has no positive entries in the limit, and since Zᵀe = 0 by least squares, λ = −e ≥ 0 with
Zᵀλ = 0 is a witness that no hyperplane has all rows strictly on their sides. The witness is verified
(`separation/separability.py`) before the fit says so; the weights are then those of the least squares. K classes are
each separated from the rest; weights of rows are those of the squares.

Predicts: scores, linear in x.
Cost: O(n d²) once for the orthogonal factor of Z, dense, then O(n d K) per step.
Certificate: training mistakes, as a share of the rows.
Reference: Ho & Kashyap (1965), IEEE Trans. Electronic Computers 14; Duda, Hart & Stork (2001), §5.9.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from scipy import linalg

from linclass.base.arrays import (
    Array,
    ArrayLike,
    ClassWeight,
    Matrix,
    MatrixLike,
    PerRow,
    as_dense,
)
from linclass.base.linear_scores import LinearScores
from linclass.base.messages import counted, require_memory
from linclass.base.parameters import require_positive, require_whole
from linclass.separation.signed_rows import SignedRows
from linclass.separation.witness import only_zero

RANK_TOLERANCE = 1e-12  # a pivot of the rows, relative to the largest, that is 0
LOOK_EVERY = 20  # steps between tests for a hyperplane or a witness
WITNESS = 1e-6  # rows with −e above this share of the largest have multipliers in the witness


class HoKashyap(LinearScores):
    """Parameters
    ----------
    learning_rate : float, default=0.9
        η, above 0 and below 1.
    max_iter : int, default=2000
        Limit on the number of steps.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes, sorted.
    coef_
    intercept_
    separable_ : list of 1 for two classes, of K for more
        Whether the class (for two the second) can be separated from the rest: True and False are
        proved, None is undecided after `max_iter` steps.
    multipliers_ : array of shape (1, n) for two classes, (K, n) for more
        λ of the training rows with positive weight where `separable_` is False, with sum 1; else 0.
    """

    def __init__(
        self,
        *,
        learning_rate: float = 0.9,
        fit_intercept: bool = True,
        max_iter: int = 2000,
        class_weight: ClassWeight = None,
    ):
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        require_positive("learning_rate", self.learning_rate, below=1)
        require_whole("max_iter", self.max_iter, 1)

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        n, width = X.shape[0], X.shape[1] + bool(self.fit_intercept)
        what = f"HoKashyap needs dense rows and an orthogonal {n} × {min(n, width)} factor"
        require_memory(8 * n * (2 * width + min(n, width)), what)
        K = len(self.classes_)
        targets_of = [1] if K == 2 else range(K)
        Y = np.array([np.where(codes == k, 1.0, -1.0) for k in targets_of])
        squares = SquaresOfTargets(X, weights, bool(self.fit_intercept))
        margins = np.ones((len(Y), n))  # the b of the equations
        decided: list[bool | None] = [None] * len(Y)
        tried: list[Array] = [np.zeros(0)] * len(Y)  # rows of the last witness
        self.multipliers_ = np.zeros((len(Y), n))
        for n_iter in range(1, self.max_iter + 1):
            errors = Y * squares.fitted(Y * margins) - margins
            if n_iter == 1 or n_iter % LOOK_EVERY == 0 or n_iter == self.max_iter:
                for k in [k for k, found in enumerate(decided) if found is None]:
                    rows = SignedRows(X, Y[k], bool(self.fit_intercept))
                    beyond = (errors[k] > -margins[k]).all()
                    if beyond and rows.are_right(*squares.plane(Y[k] * margins[k])):
                        decided[k] = True
                        continue
                    witness, tried[k] = proved_multipliers(rows, -weights * errors[k], tried[k])
                    if witness is not None:
                        decided[k], self.multipliers_[k] = False, witness
                if None not in decided:
                    break
            active = np.array([found is None for found in decided])
            margins[active] += 2 * self.learning_rate * np.maximum(errors[active], 0)
        planes = [squares.plane(target) for target in Y * margins]
        self.coef_ = np.array([w for w, _ in planes])
        self.intercept_ = np.array([b for _, b in planes])
        self.separable_ = decided
        left = decided.count(None)
        Z = X @ self.coef_.T + self.intercept_
        predicted = Z[:, 0] > 0 if K == 2 else Z.argmax(axis=1)
        reason = f"{left} of {counted(len(decided), 'separation')} undecided after {counted(n_iter, 'step')}."
        return self._record(
            "max_iter" if left else "converged",
            reason if left else "",
            certificate=float(np.average(predicted != codes, weights=weights)),
            certificate_kind="training_mistakes",
            n_iter=n_iter,
        )


class SquaresOfTargets:
    """Weighted least squares on the rows [x 1], for many targets."""

    def __init__(self, X: Matrix, weights: Array, intercept: bool):
        self.rows = SignedRows(X, np.ones(X.shape[0]), intercept)
        Z = as_dense(self.rows.take())
        self.root = np.sqrt(weights)
        Q, R, self.pivots = linalg.qr(self.root[:, None] * Z, mode="economic", pivoting=True)
        size = np.abs(R.diagonal())
        self.rank = int(
            np.count_nonzero(size > RANK_TOLERANCE * size.max(initial=0) * max(Z.shape))
        )
        self.Q = Q[:, : self.rank]
        # R Pᵀ d = Qᵀ b, whose solution of least norm is in the span of the rows of R
        self.basis, self.corner = linalg.qr(R[: self.rank].T, mode="economic")

    def fitted(self, targets: Array) -> Array:
        """The fitted values, (K, n)."""
        return np.asarray(((self.root * targets) @ self.Q) @ self.Q.T / self.root)

    def plane(self, target: Array) -> tuple[Array, float]:
        """(w, b) of one target; of dependent features those of least norm."""
        right = self.Q.T @ (self.root * target)
        d = np.zeros(self.rows.width)
        d[self.pivots] = self.basis @ linalg.solve_triangular(self.corner, right, trans="T")
        return self.rows.hyperplane(d)


def proved_multipliers(
    rows: SignedRows, candidates: Array, tried: Array
) -> tuple[Array | None, Array]:
    """(λ ≥ 0 with Zᵀλ = 0 near the candidates, if it proves that no hyperplane separates the rows strictly; its rows).

    The rows last tried are not decided again in integers, which takes long and depends on nothing else.
    """
    largest = candidates.max(initial=0)
    few = np.flatnonzero(candidates > WITNESS * largest)
    if largest <= 0 or candidates.min() < -1e-3 * largest or not len(few):
        return None, tried
    part = rows.part(few)
    Z = as_dense(part.take())
    multipliers = candidates[few]
    multipliers = multipliers - Z @ linalg.lstsq(Z.T @ Z, Z.T @ multipliers)[0]
    if multipliers.min() <= 0:
        return None, tried
    if not only_zero(part, multipliers, exactly=not np.array_equal(few, tried)):
        return None, few
    all_multipliers = np.zeros(rows.n_rows)
    all_multipliers[few] = multipliers / multipliers.sum()
    return all_multipliers, few
