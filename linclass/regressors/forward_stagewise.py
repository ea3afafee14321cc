"""Incremental forward stagewise regression: from w = 0, again and again, the weight of the feature that has the largest
covariance with the residual moves by a small step,

    j = argmax |x_jᵀ W r|,   w_j ← w_j + ε sign(x_jᵀ W r),   r ← r − ε sign(x_jᵀ W r) x_j.

It ends where the covariance is at most ε times the variance s_j² of the feature: until then each step lowers the loss
by ε²s_j²/2 at least, so there are at most 1/step² of them if the variances are equal. With small steps the path is the
lasso's where the lasso's weights are monotone, and smoother where they are not; it is boosting by the squared loss.
Covariances depend on the units of the features: standardize them first.

Predicts: a number, linear in x.
Cost: O(n d²) once for up to 500 features, or O(n d) for each feature that moves; then O(d) a step.
Certificate: gradient cosine, that is of the residuals and a feature, where the path ends.
Reference: Efron, Hastie, Johnstone & Tibshirani (2004), Ann. Statist. 32; Hastie, Taylor, Tibshirani & Walther (2007),
    Electronic J. Statist. 1; Hastie, Tibshirani & Friedman (2009), §3.8.1.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from linclass.conventions.geometry import LinearGeometry
from linclass.conventions.regressor import Regressor
from linclass.design.design_matrix import DesignMatrix
from linclass.losses.squared import Squared
from linclass.numerics import Array
from linclass.objective.objective import Objective
from linclass.solvers.l1.centred_gram import CentredGram, gram_of


class ForwardStagewise(LinearGeometry, Regressor):
    """Parameters
    ----------
    step : float, default=0.01
        Step ε in units of sd(y)/sd(x), with sd(x) the root mean square over the features.
    n_steps : int or None, default=None
        Number of steps after which the path ends: few steps are a strong regularization. None goes on until no
        feature has a covariance to speak of.
    fit_intercept : bool, default=True
        Whether to fit the intercept b. False sets b = 0.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights w at the end of the path.
    intercept_ : float
        Intercept b.
    step_ : float
        The step ε in the units of the data.
    features_ : array of shape (n_iter_,)
        The feature that each step moved.
    signs_ : array of shape (n_iter_,)
        The direction of each step, 1 or −1.
    """

    def __init__(
        self, *, step: float = 0.01, n_steps: int | None = None, fit_intercept: bool = True
    ):
        self.step = step
        self.n_steps = n_steps
        self.fit_intercept = fit_intercept

    def check(self) -> None:
        if not (isinstance(self.step, Real) and 0 < self.step < np.inf):
            raise ValueError(f"step is {self.step!r}; it must be a number above 0.")
        if self.n_steps is not None and not (
            isinstance(self.n_steps, Integral) and self.n_steps >= 0
        ):
            raise ValueError(f"n_steps is {self.n_steps!r}; it must be a whole number, or None.")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        X, y, weights = self._start_fit(X, y, sample_weight)
        objective = Objective(DesignMatrix(X, self.fit_intercept), Squared(), y, weights)
        gram, design = gram_of(objective), objective.design
        d = design.n_features
        spread = np.maximum(design.column_norms(objective.weights)[:d] ** 2 - gram.mean**2, 0)
        self.step_ = float(self.step * np.sqrt(gram.variance[0] / (spread.mean() or 1.0)))
        self.features_, self.signs_ = self._steps(gram, gram.c[0].copy())
        theta = gram.theta(self.coef_after(len(self.features_))[None])[0]
        self.coef_, self.intercept_ = theta[:d], float(theta[d]) if self.fit_intercept else 0.0
        point = objective.at(theta)
        return self._record(
            objective=point.value,
            certificate=float(objective.certificate(point)),
            certificate_kind=objective.certificate_kind,
            n_iter=len(self.features_),
        )

    def predict(self, X: Any) -> Array:
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
        moved = np.bincount(
            self.features_[:steps], self.signs_[:steps], minlength=self.n_features_in_
        )
        return np.asarray(self.step_ * moved)

    def _steps(self, gram: CentredGram, slope: Array) -> tuple[Array, Array]:
        """(feature, sign) of each step; `slope` is that of −loss at w = 0."""
        features: list[int] = []
        signs: list[float] = []
        columns: dict[int, Array] = {}
        most = np.inf if self.n_steps is None else self.n_steps
        while len(features) < most:
            j = int(np.abs(slope).argmax())
            if j not in columns:
                columns[j] = self.step_ * gram.times(np.eye(1, len(slope), j)[0])
            column = columns[j]
            if abs(slope[j]) <= column[j]:
                break
            sign = 1.0 if slope[j] > 0 else -1.0
            slope -= sign * column
            features.append(j)
            signs.append(sign)
        return np.array(features, dtype=int), np.array(signs)
