"""Linear classifier with any loss, penalty and solver; the named classifiers are its subclasses.

    (W, b) = argmin (1/Σw_i) Σ w_i loss(y_i, W x_i + b) + strength · penalty(W)

Two classes share one score with y = ±1. With more classes, 'logistic' becomes softmax and all classes are fitted
jointly, as they are with 'crammer_singer', 'perceptron' and 'bi_tempered'. Any other loss is fitted one class against
the rest. 'bi_tempered' is not convex: the fit begins at W = 0, and the minimum that it finds may be one of several.

Predicts: scores, linear in x, and probabilities if the loss is a likelihood or 'bi_tempered'.
Cost: that of the solver: O(n d K) per first-order step, O(n p² + p³) per Newton step, p = K (d + 1).
Certificate: duality gap; gradient cosine without a penalty or if the loss is not convex.
Reference: Hastie, Tibshirani & Friedman (2009), §10.6 and table 12.1.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import (
    Array,
    ArrayLike,
    ClassWeight,
    Matrix,
    MatrixLike,
    PerRow,
    Seed,
    log_probabilities,
)
from linclass.base.classifier import Classifier, only_if
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_scores import products, scores_of_stack
from linclass.base.many_fits import Folds, fit_many
from linclass.base.parameters import key_of
from linclass.base.parts import find
from linclass.linear.fit_folds import fit_folds
from linclass.linear.linear_model import (
    LinearModel,
    ending_of,
    is_penalized,
    loss_of,
    penalty_of,
    solver_of,
)
from linclass.linear.losses.base import LossLike
from linclass.linear.losses.wrapped import with_offset
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.offsets import ProbabilitiesWithOffset, offsets_of, row_offsets
from linclass.linear.partial_fit import (
    nothing_if_refused,
    pass_over,
    rows_of_call,
    why_no_partial_fit,
)
from linclass.linear.penalties.base import PenaltyLike
from linclass.linear.recession import DESCENDS, SEPARABLE, UNDECIDED, recession_of_fit
from linclass.linear.solvers.base import LearningRate, Solution, SolverLike
from linclass.linear.summary import Summary, information_of, summary_of


class LinearClassifier(LinearModel, Classifier):
    """Parameters
    ----------
    loss : str, dict or Loss
        Loss function, of linclass/linear/losses: 'logistic' (of K > 2 classes 'softmax'), 'probit', 'hinge',
        'squared_hinge', 'modified_huber', 'exponential', 'crammer_singer', 'perceptron' (of K > 2 classes 'kesler'),
        'bi_tempered' (of K > 2 classes 'tempered_softmax'), or of z − y, y = ±1: 'squared', 'huber',
        'epsilon_insensitive' or 'squared_epsilon_insensitive'. A dict {name: options} sets options of a loss, such as
        {'huber': {'delta': 0.5}} or {'bi_tempered': {'t1': 0.8, 't2': 1.2}}.
    penalty : str, dict, Penalty or None
        Penalty on the weights, of linclass/linear/penalties: 'l2', 'l1', 'elastic_net', 'adaptive_lasso',
        'group_lasso' or 'fused_lasso'. None fits without a penalty. A dict {name: options} sets the options of a
        penalty, such as {'l1': {'factors': [1, 0, 2]}}. The intercept is not penalized, unless by the option
        'intercept'.
    l1_ratio : float
        Share of the L1 norm in the penalty 'elastic_net', from 0 (ridge) to 1 (lasso). Other penalties do not use it.
    solver : str, dict or Solver
        Algorithm that minimizes the objective, of linclass/linear/solvers, such as 'newton', 'newton_cg' or
        'proximal_newton'. 'auto' chooses by loss, penalty and shape of X. A dict {name: options} sets its options.
    learning_rate : float, str, dict or None
        Step size of the solvers that have one, 'gradient_descent' and 'stochastic_gradient': a number, or a rule such
        as {'inverse': 0.1}. None is the default of the solver.
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
        Intercept of that direction.
    trace_
    """

    tuning_tol: ClassVar[float] = 1e-3  # of the objective, while tuning
    ignores_empty_columns: ClassVar[bool] = True  # columns of zeros get zero weight
    loss: Any
    coef_: Array
    intercept_: Array

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
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, offset: PerRow = None
    ) -> Self:
        return self._fit(X, y, sample_weight, offset)

    def _objectives(
        self, X: Matrix, codes: Array, weights: Array, offset: Array | None = None
    ) -> list[Objective]:
        """The objectives to minimize: one, or one per class."""
        design, objectives = DesignMatrix(X, self.fit_intercept), []
        problems = self._problems(codes)
        for number, problem in enumerate(problems):
            if offset is not None:
                column = offset if len(problems) == 1 else offset[:, number]
                problem = with_offset(*problem, column)
            objectives.append(self._objective(design, *problem, weights))
        return objectives

    def _problems(self, codes: Array) -> list[tuple[Any, Array]]:
        """(loss, targets) of each minimization: one, or one per class."""
        K, named = len(self.classes_), loss_of(self)
        loss = find("losses", named.binary)() if named.binary else named
        if K == 2:
            return [(loss, 2.0 * codes - 1)]
        if named.simplicial:
            return [(type(named)(K), codes)]
        if loss.joint:
            joint = find("losses", loss.joint)
            # without a penalty the Hessian of K scores is singular: K − 1 scores relative to the last class have the
            # same optimum, whichever solver "auto" chooses
            singular = joint.kind == "twice-smooth" and not is_penalized(self)
            if singular and (self.solver == "auto" or solver_of(self).name in ("newton", "irls")):
                return [(joint(K, reference=True), codes)]
            return [(joint(K, **vars(loss)), codes)]
        rest = np.where(np.arange(K)[:, None] == codes, 1.0, -1.0)
        return [(loss, rest)] if loss.quadratic else [(loss, y) for y in rest]

    def _old_parameters(self) -> Array | None:
        """The parameters of the last fit; None without a fit, or if it had another number of classes."""
        K = len(self.classes_)
        if not hasattr(self, "coef_") or len(self.coef_) != (1 if K == 2 else K):
            return None
        return np.column_stack([self.coef_, self.intercept_]) if self.fit_intercept else self.coef_

    def _watch(self) -> Callable[[Point], float | None] | None:
        """The function `trace` of the model with the parameters of a point; None if classes are fitted one by one."""
        watch = self.trace
        if not callable(watch):
            return None

        def value_at(point: Point) -> float | None:
            if point.theta.ndim == 1 and len(self.classes_) > 2:
                return None
            model = copy.copy(self)
            model.coef_, model.intercept_ = model._coefficients([point.theta.copy()])
            return watch(model)

        return value_at

    def _finish(
        self,
        objectives: Sequence[Objective],
        solutions: Sequence[Solution],
        codes: Array,
        weights: Array,
    ) -> Self:
        """Set the fitted attributes from the solutions, and the status."""
        directions, decided = [], True
        for objective, solution in zip(objectives, solutions, strict=True):
            recession = None if objective.has_minimum else recession_of_fit(objective, solution)
            if recession is not None:
                decided = decided and recession.decided
                if recession.direction is not None:
                    directions.append(recession.direction)
        first = objectives[0]
        if len(objectives) == 1 and first.loss.probabilistic and not (directions or first.strength):
            self._information = information_of(first, solutions[0], codes, weights)
        self._learn(solutions)
        ending = ending_of(self, solutions)
        if directions:
            two = len(self.classes_) == 2
            why = SEPARABLE if loss_of(self).probabilistic else DESCENDS
            ending["status"] = "separable"
            ending["reason"] = why.format("the classes" if two else "some classes")
            W, b = self._coefficients(directions, joint=len(solutions) == 1)
            self.separating_direction_ = W[0] if two else W
            self.separating_intercept_ = float(b[0]) if two else b
        elif not decided:
            ending |= {"status": "max_iter", "reason": UNDECIDED}
        return self._record(**ending)

    def _learn(self, solutions: Sequence[Solution]) -> None:
        thetas = []
        for solution in solutions:
            thetas.append(solution.theta)
            if solution.extra:
                self._adopt(solution.extra)
        self.coef_, self.intercept_ = self._coefficients(thetas)

    def _coefficients(
        self, thetas: Sequence[Array], joint: bool | None = None
    ) -> tuple[Array, Array]:
        """(weights, intercepts) with a row for each class, from the parameters of one minimization or of one per class.

        Scores of jointly fitted classes are determined up to a common function, so their parameters are
        centred. A nonsmooth penalty determines the weights, whose zeros centring would destroy: then only the
        intercepts are centred, and the weights of features without a penalty. The squared loss of each class has
        targets of its own, which determine all scores.
        """
        theta = np.atleast_2d(thetas[0]) if len(thetas) == 1 else np.vstack(thetas)
        K, d = len(self.classes_), self.n_features_in_
        joint = len(thetas) == 1 if joint is None else joint
        if K > 2 and len(theta) == K - 1:
            theta = np.vstack([theta, np.zeros(theta.shape[1])])
        if K > 2 and joint and not loss_of(self).quadratic:
            centred = np.ones(theta.shape[1], bool)
            penalty = penalty_of(self)
            if penalty.kinked and self.strength:
                penalty = penalty.for_features(d, getattr(self, "feature_names_in_", None))
                centred[:d] = False if penalty.unpenalized is None else penalty.unpenalized
                centred[d:] = penalty.intercept is None
            theta[:, centred] -= theta[:, centred].mean(axis=0)
        intercept = theta[:, d].copy() if self.fit_intercept else np.zeros(len(theta))
        return np.ascontiguousarray(theta[:, :d]), intercept

    def _offsets(self, offset: PerRow, sample_weight: PerRow, y: ArrayLike) -> Array | None:
        """Offsets of the rows with positive weight; None without offsets."""
        if offset is None:
            return None
        self._require_likelihood()
        return offsets_of(offset, sample_weight, y, len(self.classes_))

    def _require_likelihood(self) -> None:
        if not loss_of(self).probabilistic:
            raise ValueError(
                f"{type(self).__name__} takes no offset with loss={self.loss!r}; generalized linear models do, such as "
                "LogisticRegression."
            )

    def decision_function(self, X: MatrixLike, offset: PerRow = None) -> Array:
        Z = products(self._check_rows(X), self.coef_)
        Z += self.intercept_
        Z = Z[:, 0] if Z.shape[1] == 1 else Z
        if offset is None:
            return Z
        self._require_likelihood()
        return Z + row_offsets(offset, Z.shape)

    _scores_of_stack = staticmethod(scores_of_stack)

    # only some losses have probabilities, so ProbabilitiesWithOffset is not a base class
    predict = ProbabilitiesWithOffset.predict
    score = ProbabilitiesWithOffset.score

    def _why_no_probabilities(self) -> str:
        """The reason why there are no probabilities; empty if there are."""
        loss = loss_of(self)
        if hasattr(loss, "log_probabilities") or (
            loss.probabilistic and (loss.joint or loss.binary)
        ):
            return ""
        if not loss.probabilistic:
            return f"loss={self.loss!r} gives no probabilities"
        if len(getattr(self, "classes_", ())) > 2:
            return (
                f"one class against the rest by loss={self.loss!r} gives no probabilities that sum to 1; OneVsRest "
                "divides them by their sum"
            )
        return ""

    @only_if(_why_no_probabilities)
    def log_proba_from(self, Z: Array) -> Array:
        """Log-probabilities of rows, from their scores.

        Parameters
        ----------
        Z : array of shape (n,) or (n, K)
            Scores as `decision_function` returns them.

        Returns
        -------
        array of shape (n, K)
        """
        loss = loss_of(self)
        if hasattr(loss, "log_probabilities"):
            return np.asarray(loss.log_probabilities(np.asarray(Z)))
        if loss.joint or loss.binary:
            return log_probabilities(Z)
        return np.column_stack([-loss.value(-Z), -loss.value(Z)])

    predict_log_proba = only_if(_why_no_probabilities)(ProbabilitiesWithOffset.predict_log_proba)
    predict_proba = only_if(_why_no_probabilities)(ProbabilitiesWithOffset.predict_proba)

    def _why_no_summary(self) -> str:
        return "" if loss_of(self).probabilistic else f"loss={self.loss!r} is no likelihood"

    @only_if(_why_no_summary)
    def summary(self, information: str = "expected") -> Summary:
        """Table of coefficients as R's `glm` prints it, for unpenalized fits of a likelihood.

        Weights are frequency weights; those with a mean below 1 are scaled to a mean of 1.

        Parameters
        ----------
        information : {'expected', 'observed'}
            Information matrix whose inverse gives the standard errors: expected, as in R's `glm` and
            statsmodels' `GLM`; or observed, the Hessian of the fit, as in Stata and statsmodels'
            `Probit`. They are equal for logistic regression.

        Returns
        -------
        Summary
            Its `table` holds estimate, standard error, z score and p-value of each parameter; it has
            `deviance`, `null_deviance` and `aic`; `print` shows all of it.
        """
        return summary_of(self, information)

    @only_if(why_no_partial_fit)
    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: PerRow = None,
        offset: PerRow = None,
    ) -> Self:
        """Make one more pass, over these rows in the order given.

        It exists if the solver can be continued: 'stochastic_gradient', or the rule of a perceptron. After `fit` it
        goes on from the fitted coefficients, with the steps of a first pass.

        Parameters
        ----------
        classes : sequence or None
            All classes, in the first call. None takes those of its rows.

        Returns
        -------
        self
        """
        begins = not hasattr(self, "classes_")
        with nothing_if_refused(self, begins):
            X, codes, weights = rows_of_call(self, begins, X, y, classes, sample_weight)
            offsets = self._offsets(offset, sample_weight, y)
        return pass_over(self, begins, X, codes, weights, offsets)

    fit_many = fit_many

    def _fit_group(self) -> Hashable:
        """Models that differ in their strengths only share work."""
        return key_of({name: v for name, v in self.get_params().items() if name != "strength"})

    def _fit_together(self, models: list[Any], folds: Folds) -> list[list[Any]]:
        return fit_folds(models, folds)
