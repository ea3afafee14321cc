"""Incremental forward stagewise regression: from w = 0, again and again, the weight of the feature that has the largest
correlation with the residual r moves by a small step ε, in units of its deviation s_j and that of y,

    c_j = x_jᵀ W r / s_j,   j = argmax |c_j|,   w_j ← w_j + ε sd(y) sign(c_j)/s_j.

It ends where |c_j| ≤ ε sd(y): until then each step lowers the loss, at first Var(y)/2, by ε² Var(y)/2 at least, so
there are at most 1/ε² of them. The result does not depend on the units of the features. With small steps the path is
that of the lasso on standardized features where its weights are monotone, and smoother where they are not; it is
boosting by the squared loss.

Predicts: a number, linear in x.
Cost: O(n d²) once for up to 500 features, or O(n d) for each feature that moves; then O(d) per step.
Certificate: gradient cosine, that is of the residuals and a feature, where the path ends.
Reference: Efron, Hastie, Johnstone & Tibshirani (2004), Ann. Statist. 32; Hastie, Taylor, Tibshirani & Walther (2007),
    Electronic J. Statist. 1; Hastie, Tibshirani & Friedman (2009), §3.8.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import ClassVar, Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, MatrixLike, PerRow
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_scores import LinearGeometry
from linclass.base.parameters import is_whole, require_whole
from linclass.base.regressor import Regressor
from linclass.linear.losses.regression import Squared
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.centred_gram import CentredGram, gram_of


class ForwardStagewise(LinearGeometry, Regressor):
    """Parameters
    ----------
    learning_rate : float, default=0.01
        Step ε, as a fraction of sd(y)/sd(x), between 0 and 1.
    n_steps : int or None, default=None
        Number of steps after which the path ends: few steps are a strong regularization. None goes on until
        |c_j| ≤ learning_rate·sd(y) for all features.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights w at the end of the path.
    intercept_ : float
        Intercept b.
    learning_rate_ : array of shape (d,)
        The step of each weight, ε sd(y)/s_j; 0 for a constant feature.
    features_ : array of shape (n_iter_,)
        The feature that each step moved.
    signs_ : array of shape (n_iter_,)
        The direction of each step, 1 or −1.
    """

    simpler: ClassVar[Mapping[str, int]] = {"n_steps": -1}

    def __init__(
        self, *, learning_rate: float = 0.01, n_steps: int | None = None, fit_intercept: bool = True
    ):
        self.learning_rate = learning_rate
        self.n_steps = n_steps
        self.fit_intercept = fit_intercept

    def check(self) -> None:
        super().check()
        if not (isinstance(self.learning_rate, Real) and 0 < self.learning_rate < 1):
            raise ValueError(
                f"learning_rate is {self.learning_rate!r}; it must be a number between 0 and 1."
            )
        require_whole("n_steps", self.n_steps, or_none=True)

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        X, y, weights = self._start_fit(X, y, sample_weight)
        objective = Objective(DesignMatrix(X, self.fit_intercept), Squared(), y, weights)
        gram, d = gram_of(objective), objective.design.n_features
        spread = gram.deviations()
        self.learning_rate_ = self.learning_rate * np.sqrt(gram.variance[0]) / spread
        self.features_, self.signs_ = self._steps(gram, spread)
        theta = gram.theta(self.coef_after(len(self.features_))[None])[0]
        self.coef_, self.intercept_ = theta[:d], float(theta[d]) if self.fit_intercept else 0.0
        point = objective.at(theta)
        return self._record(
            objective=point.value,
            certificate=float(certify(point)),
            certificate_kind=objective.certificate_kind,
            n_iter=len(self.features_),
        )

    def predict(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        return np.asarray(X @ self.coef_ + self.intercept_)

    def coef_after(self, steps: int) -> Array:
        """Weights after some steps of the path.

        Parameters
        ----------
        steps : int
            Number of steps, from 0 to `n_iter_`.

        Returns
        -------
        array of shape (d,)
        """
        if not (is_whole(steps) and steps <= len(self.features_)):
            most = len(self.features_)
            raise ValueError(f"steps is {steps!r}; it must be a whole number from 0 to {most}.")
        moved = np.bincount(
            self.features_[:steps], self.signs_[:steps], minlength=self.n_features_in_
        )
        return np.asarray(self.learning_rate_ * moved)

    def _steps(self, gram: CentredGram, spread: Array) -> tuple[Array, Array]:
        """(feature, sign) of each step."""
        features: list[int] = []
        signs: list[float] = []
        columns: dict[int, Array] = {}  # by how much a step changes the correlations
        correlations = gram.c[0] / spread
        enough = self.learning_rate * float(np.sqrt(gram.variance[0]))
        most = np.inf if self.n_steps is None else self.n_steps
        while len(features) < most:
            j = int(np.abs(correlations).argmax())
            if abs(correlations[j]) <= enough:
                break
            if j not in columns:
                unit = np.zeros(len(spread))
                unit[j] = self.learning_rate_[j]
                columns[j] = gram.times(unit) / spread
            sign = 1.0 if correlations[j] > 0 else -1.0
            correlations -= sign * columns[j]
            features.append(j)
            signs.append(sign)
        return np.array(features, dtype=int), np.array(signs)
