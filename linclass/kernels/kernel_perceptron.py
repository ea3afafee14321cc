"""Kernel perceptron:  f = Σ_j β_j k(x_j, ·) + b,  β_i ← β_i + η y_i  at each mistake on row i.

The perceptron in the function space of the kernel: β counts the mistakes of each row, and with the linear
kernel they are the mistakes of `Perceptron`, one by one. K classes use Kesler's construction, as there.
A row of weight w is visited w times in succession, as there. Sparse rows have the kernel of dense ones up to rounding,
which may decide a mistake at a score of 0, so dense and sparse rows may give different solutions. A precomputed matrix
of repeated rows has other columns, and therefore another random order.

Predicts: scores.
Cost: O(n² d) for the kernel matrix, O(n) per mistake; memory n².
Certificate: training mistakes, as a share of the rows.
Reference: Aizerman, Braverman & Rozonoer (1964), Automation and Remote Control 25.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, ClassWeight, MatrixLike, PerRow, Seed
from linclass.base.classifier import Classifier
from linclass.kernels.functions import KernelLike
from linclass.kernels.kernel_design import KernelDesign
from linclass.kernels.kernel_machine import KernelMachine, KernelPath
from linclass.linear.losses.margin import Perceptron
from linclass.linear.losses.multiclass import Kesler
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.perceptron_rule import PerceptronRule
from linclass.linear.support_vectors import rows_that_count


class KernelPerceptron(KernelMachine, Classifier):
    """Parameters
    ----------
    order : {'random', 'cyclic'}, default='random'
        Order of the rows: shuffled for each pass, or as given.
    learning_rate : float, default=1.0
        Learning rate η, above 0. Started from zero, only the scale of the coefficients depends on it.
    max_iter : int or None, default=None
        Limit on the number of passes over the rows. None is 100.

    Attributes
    ----------
    coef_ : array of shape (1, d) for two classes, (K, d) for more, only with kernel='linear'
        Weights W = dual_coef_ @ support_vectors_.
    intercept_
    n_mistakes_ : int
        Number of corrections in all passes, each visit to a row one.
    """

    _counts_rows = True
    coef_ = KernelPath.coef_

    def __init__(
        self,
        *,
        kernel: KernelLike = "gaussian",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        order: str = "random",
        learning_rate: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int | None = None,
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.order = order
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        self._check_kernel()
        self._rule().check()

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        kept = rows_that_count(sample_weight, len(np.asarray(y)))
        K = self._kernel_matrix(X, kept, weights)
        known = None if self._is_precomputed() else X
        design: Any = KernelDesign(K, self.fit_intercept, of=known)
        n, classes = design.n_features, len(self.classes_)
        if classes == 2:
            objective = Objective(design, Perceptron(), np.where(codes, 1.0, -1.0), weights)
        else:
            objective = Objective(design, Kesler(classes), codes, weights)
        solution = self._rule().solve(objective, objective.zero())
        theta = np.atleast_2d(solution.theta)
        used = np.flatnonzero(theta[:, :n].any(axis=0))
        self.dual_coef_ = theta[:, used]
        self.intercept_ = theta[:, n] if self.fit_intercept else np.zeros(len(theta))
        self.intercept_ = self.intercept_ + self._shift * self.dual_coef_.sum(axis=1)
        self.n_mistakes_ = solution.extra["n_mistakes_"]
        self._keep_support(X, used, kept)
        return self._record_solutions([solution], "perceptron_rule")

    def decision_function(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        Z = self._scores(X, self.dual_coef_).T + self.intercept_
        return Z[:, 0] if Z.shape[1] == 1 else Z

    def _rule(self) -> PerceptronRule:
        return PerceptronRule(
            max_iter=self.max_iter,
            learning_rate=self.learning_rate,
            order=self.order,
            random_state=self.random_state,
        )
