"""Linear support vector machine:  min (1/Σw) Σ w_i max(0, 1 − y_i z_i) + strength · ½‖w‖²,  z = w·x + b,

the same as  min ½‖w‖² + C Σ w_i ξ_i  with C = 1/(Σw·strength): for rows of weight 1, C = 1/(n·strength)
(`C_` after a fit). The intercept is free and not penalized. hard_margin, or strength = 0, is C → ∞: the
separating hyperplane farthest from the rows, or the proof that there is none. More than two classes are
set against the rest one by one.   Cortes & Vapnik (1995), Machine Learning 20
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from linclass.applicability import NotApplicable
from linclass.classifiers.linear_classifier import LinearClassifier
from linclass.estimators.support import LEFT_OUT, of_all_rows, rows_that_count, support
from linclass.numerics import Array
from linclass.objective import Objective
from linclass.separation.maximum_margin import maximum_margin
from linclass.separation.proof import Undecided
from linclass.solvers.base import Solution


class Inseparable(NotApplicable):
    """Rows weighted by `weights` have the same mean on both sides, so no hyperplane is between."""

    def __init__(self, reason: str, weights: Array):
        super().__init__(reason)
        self.weights = weights


class LinearSVM(LinearClassifier):
    """After `fit`, for two classes (for K, with one row or entry per class set against the rest):

    dual_variables_ (n,)  α ≥ 0 with coef_ = Σ α_i y_i x_i, as far as the certificate proves
    slacks_ (n,)          ξ;  roles_ (n,) what linclass/estimators/support.py says of each row
    margin_               1/‖w‖, from the boundary to the margin
    support_, support_vectors_    rows with α > 0, for any class
    """

    penalty = "l2"

    def __init__(
        self,
        *,
        loss: str = "hinge",
        strength: float = 1e-3,
        hard_margin: bool = False,
        solver: Any = "auto",
        step: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        warm_start: bool = False,
        trace: bool = False,
        random_state: Any = None,
    ):
        self.loss = loss
        self.strength = strength
        self.hard_margin = hard_margin
        self.solver = solver
        self.step = step
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state

    def check(self) -> None:
        if self.loss not in ("hinge", "squared_hinge"):
            raise ValueError(
                f"loss is {self.loss!r}; LinearSVM has 'hinge' and 'squared_hinge'. For others "
                "use LinearClassifier."
            )
        if self._is_hard() and not (isinstance(self.solver, str) and self.solver == "auto"):
            raise ValueError(
                f"solver is {self.solver!r}; the hard margin has one of its own: solver='auto'."
            )
        super().check()

    def path(self, X: Any, y: Any, strengths: Any, sample_weight: Any = None) -> Any:
        if self._is_hard():
            raise ValueError("a hard margin has no strength, so no path. Use hard_margin=False.")
        return super().path(X, y, strengths, sample_weight)

    def fit_many(self, *args: Any, **kwargs: Any) -> Any:
        raise NotApplicable("LinearSVM keeps what it says of each row: fit it fold by fold.")

    def _is_hard(self) -> bool:
        return bool(self.hard_margin) or self.strength == 0

    def _start_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        checked = super()._start_fit(X, y, sample_weight)
        self._kept = rows_that_count(sample_weight, len(np.asarray(y)))
        return checked

    def _minimize(self, objective: Objective, start: Array) -> Solution:
        if not self._is_hard():
            return super()._minimize(objective, start)
        self.solver_ = "maximum_margin"
        try:
            found = maximum_margin(objective.design, objective.y, self.tol)
        except Undecided as error:
            raise NotApplicable(str(error)) from error
        if not found.separable:
            raise self._inseparable(objective, found.alpha)
        half_square = 0.5 / found.margin**2
        done = found.gap <= self.tol
        kind = "duality_gap"
        solution = Solution(found.theta, half_square, found.gap, kind, done, found.n_iter)
        solution.alpha = found.alpha / found.margin**2
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
        found = [support(P, s, s.alpha) for P, s in zip(objectives, solutions, strict=True)]
        self.dual_variables_ = of_all_rows([f.alpha for f in found], self._kept, 0.0)
        self.slacks_ = of_all_rows([f.slacks for f in found], self._kept, np.nan)
        self.roles_ = of_all_rows([f.roles for f in found], self._kept, LEFT_OUT)
        lengths = np.linalg.norm(self.coef_, axis=1)
        margins = np.divide(1, lengths, out=np.full(len(lengths), np.inf), where=lengths > 0)
        self.margin_ = float(margins[0]) if len(margins) == 1 else margins
        own = np.any([f.alpha > 0 for f in found], axis=0)
        self.support_ = np.flatnonzero(self._kept)[own]
        objectives[0].design.forget_transpose()  # room for the support vectors
        self.support_vectors_ = objectives[0].design.X[own]
        return self

    def _inseparable(self, objective: Objective, alpha: Array) -> NotApplicable:
        """The refusal, with its proof: `weights` of rows, whose two sides have the same mean."""
        weights = np.zeros(len(self._kept))
        weights[self._kept] = 2 * alpha
        one = len(self.classes_) == 2
        which = "the two classes" if one else "a class and the rest"
        reason = (
            f"no hyperplane separates {which}: convex combinations of "
            f"{np.count_nonzero(alpha)} of their rows coincide (the error's `weights`). Use "
            "hard_margin=False with a strength above 0."
        )
        return Inseparable(reason, weights)
