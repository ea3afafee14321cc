"""Kernel support vector machine:  min (1/Σw) Σ w_i ℓ(y_i f(x_i)) + strength · ½‖f‖²,

    f = Σ_j β_j k(x_j, ·) + b,   ‖f‖² = βᵀKβ,   ℓ the hinge loss or its square.

The dual is solved: β_j = α_j y_j with 0 ≤ α_j ≤ C_j = w_j/(Σw·strength) and Σ β_j = 0, the optimality
condition of the unpenalized intercept. More than two classes are fitted one against the rest, with one
kernel matrix.

Predicts: scores.
Cost: O(n² d) for the kernel matrix and O(m³) per step with m rows at the margin; memory n², less if the kernel has
    low rank.
Certificate: duality gap.
Reference: Boser, Guyon & Vapnik (1992), COLT; Schölkopf & Smola (2002), ch. 7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array, ClassWeight, Matrix, MatrixLike
from linclass.base.classifier import Classifier
from linclass.base.parts import find
from linclass.kernels.functions import KernelLike
from linclass.kernels.kernel_features import own_intercepts, set_intercepts
from linclass.kernels.kernel_machine import SupportVectorMachine, of_coefficients
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution
from linclass.linear.support_vectors import MarginRows, roles_of


class KernelSVM(SupportVectorMachine, Classifier):
    """Parameters
    ----------
    loss : {'hinge', 'squared_hinge'}, default='hinge'
        Loss function of the slacks: ξ or ξ².
    strength : float, default=1e-3
        Factor of the squared norm in the objective above, 1/(Σw·C), above 0.
    max_iter : int or None, default=None
        Limit on the number of Newton steps. None is the solver's own limit.

    Attributes
    ----------
    intercept_
    C_ : float
        1/(Σw·strength).
    n_support_ : array of shape (K,)
        Number of support vectors in each class.
    dual_variables_ : array of shape (n,) for two classes, (K, n) for more
        Dual variables α ≥ 0, with β_i = α_i y_i.
    slacks_ : array of the same shape
        Slack variables ξ_i = max(0, 1 − y_i z_i).
    roles_ : array of str of the same shape
        'beyond' the margin, 'on margin', 'inside' it, 'on boundary', 'misclassified', or 'left out'
        for rows of weight 0.
    """

    solver_of_loss: ClassVar[Mapping[str, str]] = {
        "hinge": "semismooth_newton",
        "squared_hinge": "finite_newton",
    }

    def __init__(
        self,
        *,
        kernel: KernelLike = "gaussian",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        loss: str = "hinge",
        strength: float = 1e-3,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.loss = loss
        self.strength = strength
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def _objectives_of(
        self, X: Matrix, target: Array, weights: Array, kept: Array
    ) -> list[Objective]:
        design, norm = self._kernel_problem(X, kept, weights)
        loss = find("losses", self.loss)()
        classes = range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_))
        return [
            Objective(design, loss, np.where(target == k, 1.0, -1.0), weights, norm, self.strength)
            for k in classes
        ]

    def _learn(
        self,
        X: Matrix,
        kept: Array,
        weights: Array,
        objectives: Sequence[Objective],
        solutions: Sequence[Solution],
    ) -> None:
        solver, pairs = self._solver(), zip(objectives, solutions, strict=True)
        betas, solutions = zip(*(of_coefficients(solver, *pair) for pair in pairs), strict=True)
        beta = np.array(betas)
        used = np.flatnonzero(beta.any(axis=0))
        self._keep_support(X, used, kept)
        y = np.array([P.y[used] for P in objectives])
        codes = y.argmax(axis=0) if len(y) > 1 else (y[0] > 0).astype(int)
        self.n_support_ = np.bincount(codes, minlength=len(self.classes_))
        self.dual_coef_ = beta[:, used]
        set_intercepts(self, np.array([s.theta[-1] for s in solutions]))
        self.C_ = 1 / float(weights.sum() * self.strength)
        rows = self._margin_rows = MarginRows.of(objectives, solutions, kept)
        self.dual_variables_, self.slacks_ = rows.dual_variables, rows.slacks
        self._record_solutions(solutions, self.solver_of_loss[self.loss])

    def decision_function(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        Z = self._scores(X, self.dual_coef_).T + own_intercepts(self)
        return Z[:, 0] if Z.shape[1] == 1 else Z

    @property
    def roles_(self) -> Array:
        """Role of each row, from its dual variable and its slack."""
        return roles_of(self)
