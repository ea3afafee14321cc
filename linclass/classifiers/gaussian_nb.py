"""Gaussian naive Bayes: independent Gaussian features,  z_k = θ_kᵀT(x) − A(θ_k) + ln π_k,  T = (x, x²).

A variance for each feature in each class, by maximum likelihood, or one for all classes (tied), to
all of which var_smoothing times the largest variance of a feature is added, as in scikit-learn.
Linear in T, so quadratic in x; tied it is linear in x, with coef_, intercept_ and the geometry of a
linear classifier, and its posterior is a logistic function.   Hastie, Tibshirani & Friedman (2009), §6.6.3
"""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from linclass import leave_one_out
from linclass.class_moments import ClassMoments
from linclass.conventions import SoftmaxProbabilities
from linclass.families.gaussian import FLOOR, Gaussian
from linclass.from_moments import FromMoments
from linclass.geometry import LinearGeometry
from linclass.priors import Priors, check_priors, class_priors, log_priors


class GaussianNB(FromMoments, SoftmaxProbabilities, LinearGeometry):
    def __init__(self, priors: Priors = None, var_smoothing: float = 1e-9, tied: bool = False):
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.tied = tied

    def check(self) -> None:
        check_priors(self.priors)
        if not 0 <= self.var_smoothing < np.inf:
            raise ValueError(f"var_smoothing is {self.var_smoothing!r}; it must be at least 0.")

    def _form(self, X: Any, K: int) -> str:
        return "diagonal"

    def _learn(self, statistics: ClassMoments) -> Self:
        mass, self.means_, centre = statistics.mass, statistics.means, statistics.centre
        pooled = statistics.pooled / mass.sum()
        within = statistics.scatter / np.where(mass > 0, mass, 1)[:, None]
        within[mass == 0] = pooled
        if self.tied:
            within = np.tile(pooled, (len(mass), 1))
        self.priors_ = class_priors(self.priors, mass)
        total = pooled + mass @ (self.means_ - centre) ** 2 / mass.sum()
        self.epsilon_ = float(self.var_smoothing * total.max())
        self.variances_ = within + self.epsilon_

        low = self._replace_rounding(total)

        self._family = Gaussian(origin=centre)
        theta = self._family.of_moments(self.means_, self.variances_)
        b = log_priors(self.priors_) - self._family.log_normalizer(theta)
        if len(theta) == 2:
            theta, b = theta[1:] - theta[:1], b[1:] - b[:1]
        self.natural_, self.intercept_ = theta, b
        self._say_linear(centre)
        if not len(low):
            return self._record()
        k, j = low[0]
        reason = (
            f"feature {j} has no spread in class {self.classes_.tolist()[k]!r}, one of {len(low)} "
            f"such pairs; {FLOOR:g} of its variance in all rows stands in (1 if there is none)"
        )
        return self._record("rank_deficient", reason)

    def _say_linear(self, centre: np.ndarray) -> None:
        """With tied variances θ of x² is the same in all classes; what tells them apart is linear."""
        vars(self).pop("coef_", None)
        if self.tied:
            self.coef_ = self.natural_[:, : len(centre)]
            self.intercept_ = self.intercept_ - self.coef_ @ centre

    def _replace_rounding(self, total: np.ndarray) -> np.ndarray:
        """Raise variances to what can be told from rounding; (k, j) of those that were below."""
        constant = total <= (1e-14 * np.abs(self.means_).max(axis=0)) ** 2
        floor = np.where(constant, 0, FLOOR * total)
        low = self.variances_ <= floor
        self.variances_ = np.where(low, np.where(constant, 1, floor), self.variances_)
        return np.argwhere(low)

    def decision_function(self, X: Any) -> np.ndarray:
        X = self._check_rows(X)
        if self.tied:
            with np.errstate(over="ignore", invalid="ignore"):
                Z = X @ self.coef_.T + self.intercept_
        else:
            Z = self._family.inner(X, self.natural_) + self.intercept_
        return Z[:, 0] if Z.shape[1] == 1 else Z

    def _scores_of_others(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if sp.issparse(X):
            return super()._scores_of_others(X, codes)
        moments = self.statistics_
        Z, lone = leave_one_out.diagonal(X, codes, moments, self.var_smoothing, self.tied)
        if self.priors is None:
            return Z + leave_one_out.priors(codes, moments.mass), lone
        return Z + log_priors(class_priors(self.priors, moments.mass)), lone
