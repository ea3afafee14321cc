"""Elastic net regression, from ridge (l1_ratio = 0) to lasso (1):

    (w, b) = argmin (1/Σw_i) Σ w_i ½(x_i·w + b − y_i)² + strength · (l1_ratio·‖w‖₁ + (1 − l1_ratio)·½‖w‖²).

scikit-learn's alpha is strength.

Predicts: a number, linear in x.
Cost: O(n d²) once for up to 500 features, then O(s³) for a support of s; beyond that O(n s) a joining feature.
Certificate: duality gap; gradient cosine at strength 0.
Reference: Zou & Hastie (2005), J. Royal Statistical Society B 67.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linclass.base.arrays import Array, Seed
from linclass.linear.linear_regression import LinearRegression
from linclass.linear.solvers.base import LearningRate, SolverLike


class ElasticNet(LinearRegression):
    """Parameters
    ----------
    strength : float, default=1e-3
        Factor of the penalty in the objective above, at least 0. It is scikit-learn's alpha.
    l1_ratio : float, default=0.5
        Share of the L1 norm in the penalty, from 0 (ridge) to 1 (lasso).
    factors : array of shape (d,), dict or None, default=None
        Factor f_j ≥ 0 of each feature in the penalty; 0 does not penalize it. None is 1 for all. A dict has factors
        by name of feature, 1 for those that it does not name.
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
    tol : float, default=1e-6
        Tolerance: the fit has converged when `certificate_` is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of iterations (for stochastic solvers: passes over the rows). None is the
        solver's own limit.
    warm_start : bool, default=False
        Whether `fit` starts from the coefficients of the previous fit.
    trace : bool, default=False
        Whether to record the progress of the solver in `trace_`.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the random order of rows, for stochastic solvers. None draws a new one for each fit.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights w.
    intercept_ : float
        Intercept b.
    solver_ : str
        The solver that was used.
    trace_ : list of dict, only with trace=True
        Passes over the rows, seconds, objective and gradient norm after each iteration.
    path_ : dict, only with solver={'gradient_descent': {'record': ...}}
        Parameters after the recorded iterations.
    """

    penalty = "elastic_net"

    def __init__(
        self,
        *,
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        factors: Sequence[float] | Array | Mapping[str, float] | None = None,
        solver: SolverLike = "auto",
        learning_rate: LearningRate = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int | None = None,
        warm_start: bool = False,
        trace: bool = False,
        random_state: Seed = None,
    ):
        self.strength = strength
        self.l1_ratio = l1_ratio
        self.factors = factors
        self.solver = solver
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state
