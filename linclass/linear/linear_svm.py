"""Linear support vector machine:  min (1/Σw) Σ w_i max(0, 1 − y_i z_i) + strength · ½‖w‖²,  z = w·x + b,

the same as  min ½‖w‖² + C Σ w_i ξ_i  with C = 1/(Σw·strength): for rows of weight 1, C = 1/(n·strength)
(`C_` after a fit). The intercept is not penalized. The hard margin is C → ∞: the separating hyperplane
of largest margin, or a proof that there is none. More than two classes are fitted one against the rest.

Predicts: scores, linear in x.
Cost: O(m d²) per Newton step, m ≤ n the rows near the margin, or O(n² d) once for few rows; K problems for K > 2
    classes.
Certificate: duality gap.
Reference: Cortes & Vapnik (1995), Machine Learning 20.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from linclass.base.arrays import (
    Array,
    ArrayLike,
    ClassWeight,
    Matrix,
    MatrixLike,
    PerRow,
    Seed,
    chosen_rows,
)
from linclass.base.many_fits import Folds
from linclass.base.messages import NotApplicable
from linclass.linear.largest_margin import maximum_margin
from linclass.linear.linear_classifier import LinearClassifier
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import LearningRate, Solution, SolverLike
from linclass.linear.support_vectors import MarginRows, roles_of, rows_that_count
from linclass.separation.separability import Undecided


class Inseparable(NotApplicable):
    """No hyperplane separates the classes.

    `weights` of the rows prove it: the weighted means of the two sides coincide, and without an intercept, when
    hyperplanes pass through the origin, their weighted sums.
    """

    def __init__(self, reason: str, weights: Array):
        super().__init__(reason)
        self.weights = weights


class LinearSVM(LinearClassifier):
    """Parameters
    ----------
    loss : {'hinge', 'squared_hinge'}
        Loss function of the slacks: ξ or ξ².
    strength : float
        Factor of ½‖w‖² in the objective above, 1/(Σw·C). 0 is the hard margin.
    hard_margin : bool
        Whether to require y_i z_i ≥ 1 for all rows. `fit` raises NotApplicable if no hyperplane
        separates the classes; the exception's `weights` prove it.

    Attributes
    ----------
    C_ : float
        1/(Σw·strength); infinite for a hard margin.
    dual_variables_ : array of shape (n,) for two classes, (K, n) for more
        Dual variables α ≥ 0, with w = Σ α_i y_i x_i.
    slacks_ : array of the same shape
        Slack variables ξ_i = max(0, 1 − y_i z_i).
    roles_ : array of str of the same shape
        'beyond' the margin, 'on margin', 'inside' it, 'on boundary', 'misclassified', or 'left out'
        for rows of weight 0.
    margin_ : float for two classes, array of shape (K,) for more
        Distance 1/‖w‖ of the margin from the boundary.
    support_ : array of shape (m,)
        Indices of the support vectors: the rows with α > 0, for any class.
    n_support_ : array of shape (K,)
        Number of support vectors in each class.
    support_vectors_ : array or sparse matrix of shape (m, d)
        The support vectors.
    """

    penalty = "l2"

    def __init__(
        self,
        *,
        loss: str = "hinge",
        strength: float = 1e-3,
        hard_margin: bool = False,
        solver: SolverLike = "auto",
        learning_rate: LearningRate = None,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        warm_start: bool = False,
        trace: bool | Callable[[Any], float] = False,
        random_state: Seed = None,
    ):
        self.loss = loss
        self.strength = strength
        self.hard_margin = hard_margin
        self.solver = solver
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state

    def check(self) -> None:
        super().check()
        if self.loss not in ("hinge", "squared_hinge"):
            raise ValueError(
                f"loss is {self.loss!r}; LinearSVM has 'hinge' and 'squared_hinge'. For others "
                "use LinearClassifier."
            )
        if self._is_hard() and self.solver != "auto":
            raise ValueError(
                f"solver is {self.solver!r}; the hard margin has its own solver: use solver='auto'."
            )

    def _require_penalty(self) -> None:
        if self._is_hard():
            raise ValueError("a hard margin has no strength, so no path. Use hard_margin=False.")

    def _fit_together(self, models: list[Any], folds: Folds) -> list[list[Any]]:
        raise NotApplicable("LinearSVM keeps attributes of each training row; fit fold by fold.")

    @property
    def roles_(self) -> Array:
        """Role of each row, from its dual variable and its slack."""
        return roles_of(self)

    def _is_hard(self) -> bool:
        return bool(self.hard_margin) or self.strength == 0

    def _start_fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None
    ) -> tuple[Matrix, Array, Array]:
        checked = super()._start_fit(X, y, sample_weight)
        self._kept = rows_that_count(sample_weight, len(np.asarray(y)))
        return checked

    def _minimize(self, objective: Objective, start: Array) -> Solution:
        if not self._is_hard():
            return super()._minimize(objective, start)
        self.solver_ = "maximum_margin"
        try:
            best = maximum_margin(objective.design, objective.y, self.tol)
        except Undecided as error:
            raise NotApplicable(str(error)) from error
        if not best.separable:
            raise self._inseparable(objective, best.alpha)
        half_square = 0.5 / best.margin**2
        done = best.gap <= self.tol
        kind = "duality_gap"
        solution = Solution(best.theta, half_square, best.gap, kind, done, best.n_iter)
        solution.alpha = best.alpha / best.margin**2
        return solution

    def _finish(
        self,
        objectives: Sequence[Objective],
        solutions: Sequence[Solution],
        codes: Array,
        weights: Array,
    ) -> Self:
        super()._finish(objectives, solutions, codes, weights)
        self.C_ = np.inf if self._is_hard() else 1 / float(weights.sum() * self.strength)
        rows = self._margin_rows = MarginRows.of(objectives, solutions, self._kept)
        self.dual_variables_, self.slacks_ = rows.dual_variables, rows.slacks
        lengths = np.linalg.norm(self.coef_, axis=1)
        margins = np.divide(1, lengths, out=np.full(len(lengths), np.inf), where=lengths > 0)
        self.margin_ = float(margins[0]) if len(margins) == 1 else margins
        supports = np.atleast_2d(rows.dual_variables).max(axis=0) > 0  # α ≥ 0
        self.support_ = np.flatnonzero(supports)
        self.n_support_ = np.bincount(codes[supports[self._kept]], minlength=len(self.classes_))
        objectives[0].design.forget_transpose()  # frees memory for the support vectors
        self.support_vectors_ = chosen_rows(objectives[0].design.X, supports[self._kept])
        return self

    def _inseparable(self, objective: Objective, alpha: Array) -> NotApplicable:
        """The exception, with its proof: `weights` of rows for which both sides have the same mean, or sum."""
        weights = np.zeros(len(self._kept))
        weights[self._kept] = 2 * alpha
        one = len(self.classes_) == 2
        which = "the two classes" if one else "a class and the rest"
        plane, sums = "hyperplane", "convex combinations"
        if not objective.design.intercept:
            plane, sums = "hyperplane through the origin", "positive combinations"
        reason = (
            f"no {plane} separates {which}: {sums} of {np.count_nonzero(alpha)} of their rows coincide "
            "(the error's `weights`). Use hard_margin=False with a strength above 0."
        )
        return Inseparable(reason, weights)
