"""Kernel logistic regression:  ln P(1 | x)/P(0 | x) = f(x) = Σ_j β_j k(x_j, x) + b,  for K classes f_k,

by penalized maximum likelihood:  (1/Σw) Σ w_i (−ln P(y_i | x_i)) + strength · ½ Σ_k ‖f_k‖².  It is logistic
regression on features whose inner products are the kernel values, with the same solvers and certificate.
Unlike a support vector machine it gives probabilities, and its solution is not sparse in the rows.

Predicts: log-odds and probabilities.
Cost: O(n² d + n r²) for kernel features of rank r ≤ n, then that of logistic regression on r features; memory n².
Certificate: duality gap.
Reference: Zhu & Hastie (2005), J. Computational and Graphical Statistics 14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, ClassWeight, Matrix, MatrixLike, PerRow
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.messages import silently
from linclass.base.meta_estimator import ending_inside
from linclass.kernels.functions import KernelLike
from linclass.kernels.kernel_features import (
    KernelFeatures,
    kernel_features,
    near_a_row,
    own_intercepts,
    set_intercepts,
)
from linclass.kernels.kernel_machine import KernelPath
from linclass.linear.logistic_regression import LogisticRegression
from linclass.linear.objective.objective import Objective
from linclass.linear.support_vectors import rows_that_count


class KernelLogisticRegression(SoftmaxProbabilities, KernelPath):
    """Parameters
    ----------
    strength : float, default=1e-3
        Factor of the squared norm in the objective above, above 0.

    Attributes
    ----------
    intercept_
    solver_
    """

    def __init__(
        self,
        *,
        kernel: KernelLike = "gaussian",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        strength: float = 1e-3,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.strength = strength
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def check(self) -> None:
        super().check()
        self._linear().check()

    def parts(self) -> list[str]:
        """The modules that a fit composes by name."""
        return self._linear().parts()

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        self._fit_each([self.strength], X, y, sample_weight)
        return self

    def _fit_each(
        self, strengths: Sequence[float], X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None
    ) -> list[KernelLogisticRegression]:
        X, codes, weights, mapped, centre = self._start_features(X, y, sample_weight)
        with silently():
            path = self._linear().path(mapped.features, codes, strengths, weights)
        models = self._copies(strengths)
        kept = rows_that_count(sample_weight, len(np.asarray(y)))
        for model, linear in zip(models, path, strict=True):
            model._learn(X, kept, mapped, linear, centre)
        return models

    def _path_objectives(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow
    ) -> list[Objective]:
        _, codes, weights, mapped, _ = self._start_features(X, y, sample_weight)
        return self._linear()._path_objectives(mapped.features, codes, weights)

    def _start_features(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow
    ) -> tuple[Matrix, Array, Array, KernelFeatures, int | None]:
        """(rows, codes, weights, features of the kernel, the row about which it is taken, if any)"""
        X, codes, weights = self._start_fit(X, y, sample_weight)
        kept = rows_that_count(sample_weight, len(np.asarray(y)))
        kernel, centre = near_a_row(self._kernel_for(X, weights), X, weights)
        K = self._kernel_matrix(X, kept, weights, kernel)
        return X, codes, weights, kernel_features(K), centre

    def _as_linear(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow
    ) -> tuple[LogisticRegression, Array, Array, Array]:
        """(the same fit to the features of the kernel, its rows, classes and weights), for AIC and BIC."""
        _, codes, weights, mapped, _ = self._unfitted()._start_features(X, y, sample_weight)
        with silently():
            linear = self._linear().fit(mapped.features, codes, weights)
        return linear, mapped.features, codes, weights

    def _learn(
        self,
        X: Matrix,
        kept: Array,
        found: KernelFeatures,
        linear: LogisticRegression,
        centre: int | None,
    ) -> None:
        beta, rows = found.coefficients(linear.coef_), found.pivots
        if centre is not None:
            beta = np.column_stack([beta, -beta.sum(axis=1)])
            rows = np.append(rows, centre)
        self.dual_coef_ = beta
        self._keep_support(X, rows, kept)
        set_intercepts(self, linear.intercept_)
        self.solver_ = linear.solver_
        self._record(**ending_inside(linear))

    def decision_function(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        b = own_intercepts(self) + self._shift * self.dual_coef_.sum(axis=1)
        Z = self._scores(X, self.dual_coef_).T + b
        return Z[:, 0] if Z.shape[1] == 1 else Z

    def _linear(self) -> LogisticRegression:
        return LogisticRegression(strength=self.strength, tol=self.tol, max_iter=self.max_iter)
