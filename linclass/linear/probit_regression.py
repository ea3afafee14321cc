"""Probit regression:  P(1 | x) = Φ(w·x + b),  Φ the normal distribution function,

by (penalized) maximum likelihood:  (1/Σw_i) Σ w_i (−ln Φ(y_i z_i)) + strength · penalty(W),  y_i = ±1.
It models a normal latent variable that is observed only as above or below a threshold. Φ(z) is close to the
logistic function of 1.6 z, but its tails are lighter: a mislabelled row far from the boundary costs z²/2. It is for two
classes. OrdinalRegression is for ordered classes; for others there is OneVsRest(ProbitRegression()).

Predicts: scores Φ⁻¹(P(1 | x)), linear in x, and probabilities.
Cost: O(n d² + d³) a Newton step for up to 500 features; O(n d) a conjugate-gradient step for more.
Certificate: duality gap; gradient cosine without a penalty.
Reference: Bishop (2006), §4.3.5; McCullagh & Nelder (1989), §4.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from linclass.base.arrays import ClassWeight, Seed
from linclass.linear.likelihood.likelihood_summary import LikelihoodSummary
from linclass.linear.linear_classifier import LinearClassifier
from linclass.linear.penalties.base import PenaltyLike
from linclass.linear.solvers.base import LearningRate, SolverLike


class ProbitRegression(LikelihoodSummary, LinearClassifier):
    """Parameters
    ----------
    penalty : str, dict, Penalty or None, default='l2'
        Penalty on the weights, a file of linclass/linear/penalties: 'l2', 'l1', 'elastic_net',
        'adaptive_lasso', 'group_lasso' or 'fused_lasso'. None fits without a penalty. A dict {name:
        options} sets the options of a penalty, such as {'l1': {'factors': [1, 0, 2]}}. The intercept
        is not penalized, unless by the option 'intercept'.
    strength : float, default=1e-3
        Factor of the penalty in the objective above, at least 0. The objective is a mean over rows,
        so scikit-learn's C is 1/(Σw · strength).
    l1_ratio : float, default=0.5
        Share of the L1 norm in the penalty 'elastic_net', from 0 (ridge) to 1 (lasso). Other
        penalties do not use it.
    solver : str, dict or Solver, default='auto'
        Algorithm that minimizes the objective, a file of linclass/linear/solvers such as 'newton',
        'newton_cg' or 'proximal_newton'. 'auto' chooses by loss, penalty and shape of X. A dict
        {name: options} sets the options of a solver.
    learning_rate : float, str, dict or None, default=None
        Step size (learning rate) of the solvers that have one, 'gradient_descent' and
        'stochastic_gradient': a number, or a rule such as {'inverse': 0.1}. None is the solver's own
        rule.
    fit_intercept : bool, default=True
        Whether to fit the intercept b. False sets b = 0.
    class_weight : 'balanced', dict or None, default=None
        Factor on the weights of the rows of each class. 'balanced' gives every class the same total
        weight; a dict maps classes to factors (1 for those it leaves out); None is 1 for all.
    tol : float, default=1e-6
        Tolerance: the fit has converged when `certificate_` is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of iterations (for stochastic solvers: passes over the rows). None is the
        solver's own limit.
    warm_start : bool, default=False
        Whether `fit` starts from the coefficients of the previous fit.
    trace : bool or callable, default=False
        Whether to record the progress of the solver in `trace_`. A function is called with the model after each
        step, and its value recorded as `watched`.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the random order of rows, for stochastic solvers. None draws a new one for each fit.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The classes, sorted.
    coef_ : array of shape (1, d)
        Weights w.
    intercept_ : array of shape (1,)
        Intercept b.
    solver_ : str
        The solver that was used.
    separating_direction_ : array of shape (d,), only with status_ 'separable'
        Direction along which the likelihood has no maximum.
    separating_intercept_ : float, only with status_ 'separable'
        Its intercept.
    trace_ : list of dict, only with trace=True
        Passes over the rows, seconds, objective and gradient norm after each iteration.
    path_ : dict, only with solver={'gradient_descent': {'record': ...}}
        Parameters after the recorded iterations.
    """

    loss = "probit"
    for_more_classes: ClassVar[str] = "OneVsRest(ProbitRegression())"

    def __init__(
        self,
        *,
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
