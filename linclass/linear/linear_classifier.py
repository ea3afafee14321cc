"""Linear classifier with any loss, penalty and solver; the named classifiers are its instances.

    (W, b) = argmin (1/Σw_i) Σ w_i loss(y_i, x_i·W + b) + strength · penalty(W)

Two classes share one score with y = ±1. With more classes, 'logistic' becomes softmax and all classes are fitted
jointly, as they are with 'crammer_singer', 'perceptron' and 'bi_tempered'. Any other loss is fitted one class against
the rest. 'bi_tempered' is not convex: the fit begins at W = 0, and the minimum that it finds may be one of several.

Predicts: scores, linear in x, and probabilities if the loss is a likelihood or 'bi_tempered'.
Cost: that of the solver: O(n d K) a first-order step, O(n p² + p³) a Newton step, p = K (d + 1).
Certificate: duality gap; gradient cosine without a penalty or if the loss is not convex.
Reference: Hastie, Tibshirani & Friedman (2009), §10.6 and table 12.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, ClassWeight, Matrix, MatrixLike, Seed
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_scores import LinearGeometry, LinearScores
from linclass.base.parts import find
from linclass.linear.composition.class_coefficients import ClassCoefficients
from linclass.linear.loss_probabilities import LossProbabilities
from linclass.linear.losses.base import LossLike
from linclass.linear.losses.wrapped import with_offset
from linclass.linear.objective.objective import Objective
from linclass.linear.one_more_pass import OneMorePass
from linclass.linear.paths.fits_strengths import FitsStrengths
from linclass.linear.penalties.base import PenaltyLike
from linclass.linear.recession import DESCENDS, SEPARABLE, UNDECIDED, Recession, recession_of_fit
from linclass.linear.solvers.base import LearningRate, Solution, SolverLike


class LinearClassifier(
    FitsStrengths, ClassCoefficients, LossProbabilities, OneMorePass, LinearGeometry, LinearScores
):
    """Parameters
    ----------
    loss : str, dict or Loss, default='logistic'
        Loss function, a file of linclass/linear/losses: 'logistic' (of K > 2 classes 'softmax'), 'probit', 'hinge',
        'squared_hinge', 'modified_huber', 'exponential', 'crammer_singer', 'perceptron' (of K > 2 classes 'kesler'),
        'bi_tempered' (of K > 2 classes 'tempered_softmax'), or of z − y, y = ±1: 'squared', 'huber',
        'epsilon_insensitive' or 'squared_epsilon_insensitive'. A dict {name: options} sets options of a loss, such as
        {'huber': {'delta': 0.5}} or {'bi_tempered': {'t1': 0.8, 't2': 1.2}}.
    penalty : str, dict, Penalty or None, default='l2'
        Penalty on the weights, a file of linclass/linear/penalties: 'l2', 'l1', 'elastic_net', 'adaptive_lasso',
        'group_lasso' or 'fused_lasso'. None fits without a penalty. A dict {name: options} sets the options of a
        penalty, such as {'l1': {'factors': [1, 0, 2]}}. The intercept is not penalized, unless by the option
        'intercept'.
    l1_ratio : float, default=0.5
        Share of the L1 norm in the penalty 'elastic_net', from 0 (ridge) to 1 (lasso). Other penalties do not use it.
    solver : str, dict or Solver, default='auto'
        Algorithm that minimizes the objective, a file of linclass/linear/solvers such as 'newton', 'newton_cg' or
        'proximal_newton'. 'auto' chooses by loss, penalty and shape of X. A dict {name: options} sets its options.
    learning_rate : float, str, dict or None, default=None
        Step size (learning rate) of the solvers that have one, 'gradient_descent' and 'stochastic_gradient': a number,
        or a rule such as {'inverse': 0.1}. None is the solver's own rule.
    random_state : int, numpy.random.Generator or None
        Seed of the random order of rows, for stochastic solvers. None draws a new one for each fit.

    Attributes
    ----------
    coef_
    intercept_
    solver_
    separating_direction_ : array of shape (d,) or (K, d), only with status_ 'separable'
        Direction along which the likelihood has no maximum, or the exponential loss no minimum.
    separating_intercept_ : float or array of shape (K,), only with status_ 'separable'
        Its intercept.
    trace_
    path_ : dict, only with solver={'gradient_descent': {'record': ...}}
        Parameters after the recorded iterations.
    """

    loss: Any
    tuning_tol: ClassVar[float] = 1e-3  # of the objective, while tuning
    ignores_empty_columns: ClassVar[bool] = True  # columns of zeros get zero weight

    def __init__(
        self,
        *,
        loss: LossLike = "logistic",
        penalty: PenaltyLike = "l2",
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
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
        self.penalty = penalty
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        self._forget("_states")  # of partial_fit
        X, codes, weights = self._start_fit(X, y, sample_weight)
        old = self._old_parameters() if self.warm_start else None
        known = None if offset is None else self._offsets(offset, sample_weight, y)
        objectives = self._objectives(X, codes, weights, known)
        starts = [self._start(P, old, number) for number, P in enumerate(objectives)]
        solutions = list(map(self._minimize, objectives, starts))
        return self._finish(objectives, solutions, codes, weights)

    def _objectives(
        self, X: Matrix, codes: Array, weights: Array, offset: Array | None = None
    ) -> list[Objective]:
        """The objectives to minimize: one, or one per class."""
        self._forget("trace_")  # of an earlier fit
        design, problems = DesignMatrix(X, self.fit_intercept), self._problems(codes)
        if offset is not None:
            own = [offset] if len(problems) == 1 else offset.T
            problems = [with_offset(*problem, o) for problem, o in zip(problems, own, strict=True)]
        return [self._objective(design, loss, target, weights) for loss, target in problems]

    def _finish(
        self,
        objectives: Sequence[Objective],
        solutions: Sequence[Solution],
        codes: Array,
        weights: Array,
    ) -> Self:
        """Set the fitted attributes from the solutions, and the status."""
        self._forget("_information")  # of an earlier fit
        recessions: list[Recession] = []
        for objective, solution in zip(objectives, solutions, strict=True):
            if (found := recession_of_fit(objective, solution)) is not None:
                recessions.append(found)
            if found is None or found.direction is None:
                self._look_at_optimum(objective, solution, codes, weights)
        self._learn(solutions)
        return self._record_outcome(solutions, recessions)

    def _problems(self, codes: Array) -> list[tuple[Any, Array]]:
        """(loss, targets) of each minimization: one, or one per class."""
        K = len(self.classes_)
        named = self._loss()
        loss = find("losses", named.binary)() if named.binary else named
        if K == 2:
            return [(loss, 2.0 * codes - 1)]
        if named.simplicial:
            return [(type(named)(K), codes)]
        if loss.joint:
            joint = find("losses", loss.joint)
            own = {"reference": True} if self._needs_reference(joint) else vars(loss)
            return [(joint(K, **own), codes)]
        rest = np.where(np.arange(K)[:, None] == codes, 1.0, -1.0)
        return [(loss, rest)] if loss.quadratic else [(loss, y) for y in rest]

    def _needs_reference(self, joint: Any) -> bool:
        """Without a penalty the Hessian of K scores is singular; Newton's method uses K − 1 scores."""
        if joint.kind != "twice-smooth" or self._is_penalized():
            return False
        return self._chooses_solver or self._solver(self.solver).name in ("newton", "irls")

    def _start(self, objective: Objective, old: Array | None, problem: int) -> Array:
        """Zero, or the old parameters of this problem, if they fit."""
        start = objective.zero()
        if old is not None and old.shape[1] == objective.design.width:
            last = old[-1] if len(old) == len(start) + 1 else 0.0  # of a reference class
            given = old[problem] if start.ndim == 1 else old[: len(start)] - last
            start = given.copy() if given.shape == start.shape else start
        return start

    def _look_at_optimum(
        self, objective: Objective, solution: Solution, codes: Array, weights: Array
    ) -> None:
        """Hook for subclasses that compute something at the optimum that needs the rows."""

    def _record_outcome(
        self, solutions: Sequence[Solution], recessions: Sequence[Recession] = ()
    ) -> Self:
        self._forget("separating_direction_", "separating_intercept_")
        status, reason = self._ending(solutions)
        directions = [r.direction for r in recessions if r.direction is not None]
        if recessions and not directions and not all(r.decided for r in recessions):
            status, reason = "max_iter", UNDECIDED
        if directions:
            theta = np.vstack([np.atleast_2d(d) for d in directions])
            W, b = self._split(self._of_each_class(theta, together=len(solutions) == 1))
            one = len(self.classes_) == 2
            why = SEPARABLE if self._loss().probabilistic else DESCENDS
            status, reason = "separable", why.format("the classes" if one else "some classes")
            self.separating_direction_ = W[0] if one else W
            self.separating_intercept_ = float(b[0]) if one else b
        return self._record(status, reason, **self._measures(solutions))

    def _old_parameters(self) -> Array | None:
        """Those of the last fit; None if there was none, or one of another number of classes."""
        K = len(self.classes_)
        if not hasattr(self, "coef_") or len(self.coef_) != (1 if K == 2 else K):
            return None
        return np.column_stack([self.coef_, self.intercept_]) if self.fit_intercept else self.coef_
