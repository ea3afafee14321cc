"""AdaLine: the adaptive linear neuron of Widrow and Hoff, by the rule of least mean squares (LMS),

    w ← w + η e x,   e = y − (w·x + b),   y = ±1,

at every row, x including the constant 1 of the intercept. It is the stochastic gradient descent of ½(y − z)², so its
weights come near those of LeastSquaresClassifier, and nearer the smaller η is. Passes in one order are one affine map
of the weights, which contracts for η < 2/(largest ‖x‖²): they converge to weights that a pass leaves as they are, where
the errors met in it are orthogonal to the features. `fit` goes on until they nearly are, because similar passes may
only mean that η is small; and stops if the errors grow without bound. K classes are K scores, each with y = 1
for its class and −1 for the others.

A block of rows is solved at once, as a triangular system, which is the sequential rule up to rounding. A row of weight
w counts as w visits in succession, which leave (1 − η‖x‖²)^w of its error; a last fraction of a visit takes this
fraction of a step.

Predicts: scores, linear in x.
Cost: O(n d K) per pass over the rows.
Certificate: training mistakes, as a share of the rows.
Reference: Widrow & Hoff (1960), IRE WESCON Convention Record; Duda, Hart & Stork (2001), §5.8.4.
"""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import numpy as np
from scipy.linalg.lapack import dtrtrs

from linclass.base.arrays import Array, ClassWeight, Matrix, Seed
from linclass.base.design_matrix import DesignMatrix
from linclass.base.parameters import require_positive
from linclass.discriminant.class_moments import ClassMoments
from linclass.linear.solvers.corrections import Block, Tally
from linclass.online.online_classifier import LinearOnlineClassifier

DIVERGED = 1e12  # of the squared errors since θ = 0: they will not shrink again


class Adaline(LinearOnlineClassifier):
    """Parameters
    ----------
    learning_rate : float or None, default=None
        η, above 0. None is a tenth of 1/(mean ‖x‖²), and at most 1/(largest ‖x‖²), of the rows of
        `fit` or of the first `partial_fit`, with which `fit` never diverges. Above 2/‖x‖² a row
        increases its own error.
    tol : float, default=0.001
        `fit` has converged when the errors met in a pass have at most this cosine with every
        feature, relative to its standard deviation, or are at most `tol` in size.

    Attributes
    ----------
    learning_rate_ : float
        The step η that was used.
    """

    keeps_grams: ClassVar[bool] = True
    learning_rate_: float
    _default_step: float
    _contracts: float  # 2/(largest ‖x‖²): with smaller steps no pass over these rows diverges
    _drift: Array  # of θ in the last pass
    _squared_errors: Array  # met in the last pass, of each class
    _centre: Array  # of the features
    _spread: Array  # standard deviations of the features
    _mass: float  # total weight of the rows of the last pass

    def __init__(
        self,
        *,
        learning_rate: float | None = None,
        order: str = "random",
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int = 2000,
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.learning_rate = learning_rate
        self.order = order
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        if self.learning_rate is not None:
            require_positive("learning_rate", self.learning_rate)
        require_positive("tol", self.tol)

    def _begin(self, X: Matrix, weights: Array) -> None:
        super()._begin(X, weights)
        design, mass = DesignMatrix(X, self.fit_intercept), weights.sum()
        self._centre = design.centre(weights / mass)
        one_class = np.zeros(len(weights), dtype=int)
        (squares,) = ClassMoments.of(X, one_class, weights, 1, "diagonal").scatter
        self._spread, norms = np.sqrt(squares / mass), design.column_norms(weights / mass)
        constant = self._spread <= 1e-8 * norms[: X.shape[1]]
        self._spread[constant] = norms[: X.shape[1]][constant]
        squares = design.squared_row_norms()
        largest = float(squares[weights > 0].max())
        mean = float(np.average(squares, weights=weights))
        self._contracts = 2 / largest if largest else np.inf
        self._default_step = min(0.1 / mean, 1 / largest) if largest else 1.0

    def _pass(self, rows: Any, codes: Array, weights: Array, tally: Tally) -> None:
        self.learning_rate_ = (
            self._default_step if self.learning_rate is None else float(self.learning_rate)
        )
        before, self._mass = self._theta.copy(), float(weights.sum())
        self._squared_errors = np.zeros(before[0].size)
        with np.errstate(over="ignore", invalid="ignore"):
            super()._pass(rows, codes, weights, tally)
            self._drift = self._theta - before
        if not np.isfinite(self._drift).all():
            self._squared_errors[:], self._theta = np.inf, before  # the last weights that can score

    def _visit(self, block: Block, codes: Array, weights: Array, tally: Tally) -> None:
        theta = self._theta.reshape(len(self._theta), -1)  # the same memory
        if block.response is None:
            classes = [1] if self._theta.ndim == 1 else np.arange(theta.shape[1])
            targets = np.where(codes[:, None] == classes, 1.0, -1.0)
            block.response = LeastMeanSquares(block, targets, weights, self.learning_rate_)
        errors = block.response.visit(theta)
        self._squared_errors += block.response.squares @ (errors * errors)
        tally.visits += len(weights)

    def _report_mistakes(self, tally: Tally) -> None:
        """No warning: the rule corrects all rows, also those that are classified correctly."""

    def _has_settled(self, tally: Tally) -> bool:
        """A pass adds η Σ e x to θ, over its visits, so the drift gives the cosines of errors and features."""
        d = len(self._centre)
        features, drift = self._drift[:d].T, self._drift[d:].T
        if self.fit_intercept:
            features = features - drift * self._centre
        errors = np.maximum(np.sqrt(self._squared_errors / self._mass), self.tol)
        unit = self.tol * self.learning_rate_ * self._mass * errors.reshape((*drift.shape[:-1], 1))
        return bool(
            (np.abs(features) <= unit * self._spread).all() and (np.abs(drift) <= unit).all()
        )

    def _diverged(self, tally: Tally) -> str:
        """Errors that grow without bound, or, with a step of at least 2/(largest ‖x‖²), weights that have settled where
        the errors are larger than those of θ = 0.
        """
        growth = float(self._squared_errors.mean()) / self._mass  # since θ = 0
        doubtful = self._has_settled(tally) and self.learning_rate_ >= self._contracts
        if growth < (1 if doubtful else DIVERGED):
            return ""
        return (
            f"learning_rate={self.learning_rate_:g} is too large: it does not make the errors smaller. Use a smaller "
            f"learning_rate, or learning_rate=None, here {self._default_step:g}."
        )


class LeastMeanSquares:
    """Visits to the rows of a block by the rule, all solved at once.

    The errors e at the first visit to each row satisfy the triangular system (I + L S) e = y − z, with z the scores
    before the block, L the part of X Xᵀ below the diagonal and S = diag(s): the visits to row i add s_i e_i x_i to θ.
    That is the sequential rule, not an approximation of it. Of w visits in succession each leaves 1 − η‖x‖² of the
    row's error, so s = (1 − (1 − η‖x‖²)^w)/‖x‖², and their squared errors are r e² in all. It holds the rows of a block
    with their targets, (b, K), for all passes.
    """

    def __init__(self, block: Block, targets: Array, weights: Array, step: float):
        self.targets, gram = targets, block.gram()
        self.block = copy.copy(block)  # without a reference back, so that both are freed at once
        shares, squares = shares_and_squares(gram.diagonal(), weights, step)
        self.shares, self.squares = shares[:, None], squares
        self.system = (gram * shares).T  # LAPACK reads columns, and here I + L S of them

    def visit(self, theta: Array) -> Array:
        """Change θ, (width, K), and return the errors, (b, K)."""
        errors, _ = dtrtrs(self.system, self.targets - self.block.scores(theta), 0, 1, 1)
        self.block.add(theta, self.shares * errors)
        return np.asarray(errors)


def shares_and_squares(k: Array, weights: Array, step: float) -> tuple[Array, Array]:
    """(s, r) of rows with ‖x‖² = k."""
    if (weights == 1).all():
        return np.full(len(k), step), weights
    whole = np.floor(weights)
    factor = 1 - step * k
    left = factor**whole * (1 - step * k * (weights - whole))
    rest = factor ** (2 * whole)
    squares = np.divide(1 - rest, 1 - factor**2, out=whole.copy(), where=factor**2 != 1)
    shares = np.divide(1 - left, k, out=step * weights, where=k > 0)
    return shares, squares + rest * (weights - whole)
