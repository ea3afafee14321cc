"""Kernel perceptron:  f = Σ_j β_j k(x_j, ·) + b,  β_i ← β_i + η y_i  at each mistake on row i.

The perceptron in the space of functions: β counts the mistakes of each row, and with the linear kernel
they are those of `Perceptron`, one by one. K classes by Kesler's construction, as there; its answer
depends on the order of rows, so it takes no sample_weight.
Aizerman, Braverman & Rozonoer (1964), Automation and Remote Control 25
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from linclass.conventions import Classifier
from linclass.estimators.kernel_machine import KernelMachine
from linclass.losses.kesler import Kesler
from linclass.losses.perceptron import Perceptron
from linclass.numerics import Array
from linclass.objective import Objective
from linclass.optimization.kernel_design import KernelDesign
from linclass.solvers.perceptron_rule import PerceptronRule


class KernelPerceptron(KernelMachine, Classifier):
    """After `fit`: n_mistakes_, dual_coef_ (β of the rows support_) and intercept_."""

    def __init__(
        self,
        *,
        kernel: Any = "gaussian",
        gamma: Any = "scale",
        degree: int = 3,
        offset: float = 1.0,
        order: str = "random",
        step: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int | None = None,
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.offset = offset
        self.order = order
        self.step = step
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.random_state = random_state

    def check(self) -> None:
        self._check_kernel()
        self._rule().check()

    def parts(self) -> list[str]:
        """The modules that a fit composes by name."""
        return self._kernel_parts()

    def fit(self, X: Any, y: Any) -> Self:
        X, codes, _ = self._start_fit(X, y)
        kept = np.ones(len(codes), dtype=bool)
        design: Any = KernelDesign(
            self._kernel_matrix(X, kept, np.ones(len(codes))), self.fit_intercept
        )
        n, classes = design.n_features, len(self.classes_)
        if classes == 2:
            objective = Objective(design, Perceptron(), np.where(codes, 1.0, -1.0))
        else:
            objective = Objective(design, Kesler(classes), codes)
        solution = self._rule().solve(objective, objective.zero())
        theta = np.atleast_2d(solution.theta)
        used = np.flatnonzero(theta[:, :n].any(axis=0))
        self.dual_coef_ = theta[:, used]
        self.intercept_ = theta[:, n] if self.fit_intercept else np.zeros(len(theta))
        self.intercept_ = self.intercept_ + self._shift * self.dual_coef_.sum(axis=1)
        self.n_mistakes_ = solution.extra["n_mistakes_"]
        self._keep_basis(X, used, kept)
        return self._record_solutions([solution], "perceptron_rule")

    def decision_function(self, X: Any) -> Array:
        X = self._check_rows(X)
        Z = self._scores(X, self.dual_coef_).T + self.intercept_
        return Z[:, 0] if Z.shape[1] == 1 else Z

    def _rule(self) -> PerceptronRule:
        return PerceptronRule(
            max_iter=self.max_iter,
            step=self.step,
            order=self.order,
            random_state=self.random_state,
        )
