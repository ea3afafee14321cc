"""Least angle regression: the weights move so that the residual r has equal covariances with all features that joined,

    |x_jᵀ W r| = λ  for j in A,   ≤ λ  for all others,   A grows by one feature at a time as λ falls,

from w = 0 at the largest covariance to least squares at λ = 0. The path is piecewise linear, with a knot where a
feature joins. If moreover a feature leaves where its weight passes through 0 (`lasso=True`), w(λ) is the lasso of that
strength.
Covariances depend on the units of the features: standardize them first, as Efron et al. do.

Predicts: a number, linear in x.
Cost: O(n d²) once for up to 500 features, then O(d²) per knot; beyond that O(n d) per knot.
Certificate: gradient norm: how far the covariances are from equal, in units of the first.
Reference: Efron, Hastie, Johnstone & Tibshirani (2004), Ann. Statist. 32; Hastie, Tibshirani & Friedman (2009), §3.4.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, MatrixLike, PerRow
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_scores import LinearGeometry
from linclass.base.parameters import require_nonnegative, require_whole
from linclass.base.regressor import Regressor
from linclass.linear.losses.regression import Squared
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.centred_gram import MAX_WHOLE_GRAM, CentredGram
from linclass.linear.solvers.homotopy import FactoredWalk, Walk

TOLERANCE = 1e-6  # certificate up to which the path has converged
KNOT_TOLERANCE = 1e-12  # of the first level: a knot below it is that of least squares, at 0


class LeastAngleRegression(LinearGeometry, Regressor):
    """Parameters
    ----------
    lasso : bool, default=False
        Whether a feature leaves where its weight passes through 0: then the path is that of the lasso.
    strength : float, default=0.0
        Level λ at which the path ends; with lasso=True the strength of the lasso. 0 is least squares.
    n_steps : int or None, default=None
        Number of knots after which the path ends. None goes on to `strength`.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights w at the end of the path.
    intercept_ : float
        Intercept b.
    knots_ : array of shape (m,)
        Level λ at each knot, decreasing; the first and the last are the ends of the path.
    coef_path_ : array of shape (m, d)
        Weights at each knot; between knots they are linear in λ.
    moves_ : list of (int, int)
        Feature, and 1 if it joined or −1 if it left, in order.
    """

    simpler: ClassVar[Mapping[str, int]] = {"strength": 1, "n_steps": -1}

    def __init__(
        self,
        *,
        lasso: bool = False,
        strength: float = 0.0,
        n_steps: int | None = None,
        fit_intercept: bool = True,
    ):
        self.lasso = lasso
        self.strength = strength
        self.n_steps = n_steps
        self.fit_intercept = fit_intercept

    def check(self) -> None:
        super().check()
        require_nonnegative("strength", self.strength)
        require_whole("n_steps", self.n_steps, or_none=True)

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        X, y, weights = self._start_fit(X, y, sample_weight)
        objective = Objective(DesignMatrix(X, self.fit_intercept), Squared(), y, weights)
        gram = CentredGram(objective)
        c = gram.covariances()
        if len(c) <= min(MAX_WHOLE_GRAM, len(y)):
            walk: Walk = FactoredWalk(gram, objective, c, drops=self.lasso)
        else:
            walk = Walk(gram, c, drops=self.lasso)
        levels, path = [walk.level], [walk.w.copy()]
        most = np.inf if self.n_steps is None else self.n_steps
        end = max(float(self.strength), KNOT_TOLERANCE * walk.level)
        while walk.kinks < most and walk.next_kink() > end:
            walk.go()
            levels.append(walk.level)
            path.append(walk.w.copy())
        if walk.kinks < most and walk.level > self.strength:
            levels.append(float(self.strength))
            path.append(walk.at(self.strength))
        self.knots_, self.coef_path_ = np.array(levels), np.array(path)
        self.moves_ = walk.moves
        theta = gram.theta(self.coef_path_[-1:])[0]
        d = self.n_features_in_
        self.coef_, self.intercept_ = theta[:d], float(theta[d]) if self.fit_intercept else 0.0
        return self._proved(objective, theta, walk)

    def predict(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        return np.asarray(X @ self.coef_ + self.intercept_)

    def coef_at(self, strength: float) -> Array:
        """Weights at a level of the path.

        Parameters
        ----------
        strength : float
            Level λ. Above the first knot all weights are 0; below the last one they are `coef_`.

        Returns
        -------
        array of shape (d,)
        """
        knots, W = self.knots_[::-1], self.coef_path_[::-1]
        return np.array([np.interp(strength, knots, w) for w in W.T])

    def _proved(self, objective: Objective, theta: Array, walk: Walk) -> Self:
        """The conditions of the path, by the rows and not by the updates of the walk."""
        point, level, first = objective.at(theta), self.knots_[-1], self.knots_[0]
        slopes = objective.weight_part(point.loss_gradient)
        if objective.design.intercept:
            slopes = slopes - point.loss_gradient[-1] * (objective.design.XT @ objective.weights)
        sizes, joined = np.abs(slopes), walk.signs != 0
        off = np.where(joined, np.abs(sizes - level), np.maximum(sizes - level, 0))
        certificate = float(off.max(initial=0) / first) if first else 0.0
        done = certificate <= TOLERANCE
        return self._record(
            "converged" if done else "max_iter",
            "" if done else f"rounding moved the path off by {certificate:.1e}; standardize X.",
            objective=point.value,
            certificate=certificate,
            certificate_kind="gradient_norm",
            n_iter=walk.kinks,
        )
