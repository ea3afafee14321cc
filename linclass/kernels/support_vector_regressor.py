"""Support vector regression:  min (1/Σw) Σ w_i E_ε(f(x_i) − y_i) + strength · ½‖f‖²,  f = w·x + b or over kernels,

    E_ε(r) = max(0, |r| − ε), or its square:  rows within the tube of half-width ε have no loss,

the same as  min ½‖f‖² + C Σ w_i E_ε  with C = 1/(Σw·strength). Its dual variables are β_i = −C_i E_ε′(r_i),
f = Σ β_i k(x_i, ·) + b. Rows with β_i ≠ 0, on the tube or outside it, are the support vectors. With ε = 0
it is (penalized) least absolute deviations or, squared, ridge regression with twice the squared loss.

Predicts: a number, linear in x or in kernel values.
Cost: O(m d²) per Newton step, m ≤ n the rows near the tube; with other kernels O(n² d) for the matrix and O(m³)
    per step.
Certificate: duality gap.
Reference: Drucker, Burges, Kaufman, Smola & Vapnik (1996), NIPS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array, Matrix, MatrixLike
from linclass.base.design_matrix import DesignMatrix
from linclass.base.parameters import require_nonnegative
from linclass.base.parts import find
from linclass.base.regressor import Regressor
from linclass.kernels.functions import KernelLike
from linclass.kernels.kernel_design import KernelDesign, KernelNorm
from linclass.kernels.kernel_machine import SupportVectorMachine
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.base import Penalty
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers.base import Solution
from linclass.linear.support_vectors import of_all_rows


class SupportVectorRegressor(SupportVectorMachine, Regressor):
    """Parameters
    ----------
    loss : {'epsilon_insensitive', 'squared_epsilon_insensitive'}, default='epsilon_insensitive'
        Loss function of the residuals: E_ε or its square.
    epsilon : float, default=0.1
        Half-width ε of the tube, in units of y, at least 0.
    strength : float, default=1e-3
        Factor of ½‖f‖² in the objective above, 1/(Σw·C), above 0.
    max_iter : int or None, default=None
        Limit on the number of Newton steps. None is the solver's own limit.

    Attributes
    ----------
    coef_ : array of shape (d,), only with kernel='linear'
        Weights w.
    intercept_ : float
        Intercept b.
    dual_coef_ : array of shape (m,)
        Coefficients β of the m rows `support_`.
    support_ : array of shape (m,)
        Indices of the support vectors.
    n_support_ : array of shape (1,)
        Number of support vectors.
    dual_variables_ : array of shape (n,)
        Dual variables β of all training rows.
    slacks_above_, slacks_below_ : array of shape (n,)
        max(0, y − f − ε) and max(0, f − y − ε) of each training row.
    C_ : float
        1/(Σw·strength).
    """

    solver_of_loss: ClassVar[Mapping[str, str]] = {
        "epsilon_insensitive": "semismooth_newton",
        "squared_epsilon_insensitive": "finite_newton",
    }

    def __init__(
        self,
        *,
        kernel: KernelLike = "linear",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        loss: str = "epsilon_insensitive",
        epsilon: float = 0.1,
        strength: float = 1e-3,
        tol: float = 1e-6,
        max_iter: int | None = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.loss = loss
        self.epsilon = epsilon
        self.strength = strength
        self.tol = tol
        self.max_iter = max_iter

    def check(self) -> None:
        super().check()
        require_nonnegative("epsilon", self.epsilon)

    def _objectives_of(
        self, X: Matrix, target: Array, weights: Array, kept: Array
    ) -> list[Objective]:
        """The objective of the targets minus their median, which saves digits of targets far from 0."""
        design: Any = DesignMatrix(X)
        norm: Penalty = L2()
        if not self._is_linear():
            K = self._kernel_matrix(X, kept, weights)
            design, norm = KernelDesign(K), KernelNorm(K)
        loss = find("losses", self.loss)(self.epsilon)
        self._middle = float(np.partition(target, len(target) // 2)[len(target) // 2])
        return [Objective(design, loss, target - self._middle, weights, norm, self.strength)]

    def _learn(
        self,
        X: Matrix,
        kept: Array,
        weights: Array,
        objectives: Sequence[Objective],
        solutions: Sequence[Solution],
    ) -> None:
        (objective,), (solution,) = objectives, solutions
        linear, d = self._is_linear(), objective.design.n_features
        self.intercept_ = self._middle + float(solution.theta[d])
        point = objective.at(solution.theta)
        slopes = point.slopes if solution.slopes is None else solution.slopes
        beta = -objective.weights * slopes / self.strength
        coefficients = beta if linear else solution.theta[:d]
        used = np.flatnonzero(coefficients)
        self.dual_coef_, self.n_support_ = coefficients[used], np.array([len(used)])
        self._keep_support(X, used, kept)
        if linear:
            self.coef_ = solution.theta[:d]
        else:
            self.intercept_ += self._shift * float(self.dual_coef_.sum())
        residual = objective.y - point.scores
        self.dual_variables_ = of_all_rows([beta], kept, 0.0)
        self.slacks_above_ = of_all_rows([np.maximum(residual - self.epsilon, 0)], kept, np.nan)
        self.slacks_below_ = of_all_rows([np.maximum(-residual - self.epsilon, 0)], kept, np.nan)
        self.C_ = 1 / float(weights.sum() * self.strength)
        self._record_solutions([solution], self.solver_of_loss[self.loss])

    def predict(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        scores = X @ self.coef_ if self._is_linear() else self._scores(X, self.dual_coef_)
        return scores + self.intercept_

    def _is_linear(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "linear"
