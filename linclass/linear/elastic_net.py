"""Elastic net regression, from ridge (l1_ratio = 0) to lasso (1):

    (w, b) = argmin (1/Σw_i) Σ w_i ½(x_i·w + b − y_i)² + strength · (l1_ratio·‖w‖₁ + (1 − l1_ratio)·½‖w‖²).

scikit-learn's alpha is strength.

Predicts: a number, linear in x.
Cost: O(n d²) once for up to 500 features, then O(s³) for a support of s; beyond that O(n s) per joining feature.
Certificate: duality gap; gradient cosine at strength 0.
Reference: Zou & Hastie (2005), J. Royal Statistical Society B 67.
"""

from __future__ import annotations

from linclass.base.arrays import Seed
from linclass.linear.linear_regressor import Factors, LinearRegressor
from linclass.linear.solvers.base import LearningRate, SolverLike


class ElasticNet(LinearRegressor):
    """Parameters
    ----------
    l1_ratio : float
        Share of the L1 norm in the penalty, from 0 (ridge) to 1 (lasso).
    """

    penalty = "elastic_net"

    def __init__(
        self,
        *,
        strength: float = 1e-3,
        l1_ratio: float = 0.5,
        factors: Factors = None,
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
