"""Bayesian linear regression: y = w·x + b + ε,  ε ~ N(0, 1/β),  with the conjugate prior w ~ N(0, α⁻¹I):

    p(w | data) = N(m, S),   S = (αI + βXᵀWX)⁻¹,   m = βSXᵀWy,   p(y | x) = N(m·x + b, 1/β + (x − x̄)ᵀS(x − x̄) + 1/(βn)),

X and y centred, for the intercept has a flat prior; n is the sum of the frequency weights. m is the
ridge estimate of strength α/(βn). The evidence p(data | α, β) is in closed form: with ρ = α/β and the
eigenvalues λ of XᵀWX,

    1/β = (RSS + ρ‖m‖²)/n′,   ln p = ½ Σ ln(ρ/(λ_i + ρ)) − ½ n′ ln(RSS + ρ‖m‖²) + const,

n′ = n − 1 (n without an intercept), a function of ρ alone; at its maximum α‖m‖² = γ = Σ λ_i/(λ_i + ρ).

Predicts: the mean of y and, if asked, its standard deviation.
Cost: O(n d² + d³) once, then O(d) for each strength that is tried.
Certificate: gradient norm, of the evidence in ln strength; closed form for a given strength.
Reference: MacKay (1992), Neural Computation 4; Bishop (2006), §3.3 and §3.5.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.optimize import brentq

from linclass.base.arrays import Array, ArrayLike, MatrixLike, PerRow
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_scores import LinearGeometry
from linclass.base.messages import require_memory
from linclass.base.regressor import Regressor
from linclass.linear.objective.coordinates import centred_gram

RANGE = 1e12  # of ρ above the mean eigenvalue, and of the variance of y above that of the noise
EPS = np.finfo(float).eps
GRID = 121  # values of ρ among which the highest is refined, for there may be several maxima


class BayesianLinearRegression(LinearGeometry, Regressor):
    """Parameters
    ----------
    strength : float or 'evidence', default='evidence'
        α/(βn), above 0, the strength of the same ridge regression; 'evidence' is where the evidence
        is largest. The noise 1/β is always that of the largest evidence.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Posterior mean m of the weights.
    intercept_ : float
        Posterior mean of the intercept.
    covariance_ : array of shape (d, d)
        Posterior covariance S of the weights.
    strength_ : float
        The strength that was used.
    weight_precision_, noise_precision_ : float
        α and β.
    n_effective_ : float
        γ, the number of weights that the data determine.
    log_evidence_ : float
        ln p(data | α, β).
    """

    _counts_rows = True

    def __init__(self, *, strength: float | str = "evidence", fit_intercept: bool = True):
        self.strength = strength
        self.fit_intercept = fit_intercept

    def check(self) -> None:
        super().check()
        number = isinstance(self.strength, Real) and 0 < self.strength < np.inf
        if self.strength != "evidence" and not number:
            raise ValueError(
                f"strength is {self.strength!r}; it must be a number above 0, or 'evidence'."
            )

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        X, y, weights = self._start_fit(X, y, sample_weight)
        n, d = float(weights.sum()), X.shape[1]
        require_memory(24 * d * d, f"{type(self).__name__} needs a {d} × {d} covariance")
        design = DesignMatrix(X, self.fit_intercept)
        self._mean, gram = centred_gram(design, weights / n)
        mean = float(weights @ y) / n if self.fit_intercept else 0.0
        values, V = np.linalg.eigh(n * gram)
        xty = design.XT @ (weights * (y - mean))
        if self.fit_intercept:
            xty = xty - self._mean * float(weights @ (y - mean))
        evidence = Evidence(np.maximum(values, 0), V.T @ xty, n - self.fit_intercept)
        best = y - mean - design.X @ (V @ evidence.least_squares())
        best -= float(weights @ best) / n if self.fit_intercept else 0.0
        rounding = EPS * float(weights @ (y - mean) ** 2)
        evidence.residual_squares = max(float(weights @ best**2), rounding)
        status, reason, slope = "converged", "", None
        if self.strength == "evidence":
            rho, slope = evidence.best()
            if evidence.total > 0 and rho >= evidence.limits[1] / 2:
                reason = "the evidence is largest without any weights: the features carry no information."
            elif evidence.total > 0 and rho <= 2 * evidence.limits[0]:
                status = "rank_deficient"
                reason = (
                    "weights fit y without noise, so the evidence has no maximum; set strength."
                )
        else:
            rho = float(self.strength) * n
        m, error = evidence.fit(rho)
        noisy = error > 0 and evidence.dof > 0
        if not noisy:
            reason, slope = "y is constant, which leaves no noise to estimate.", None
        self.strength_ = rho / n
        self.noise_precision_ = evidence.dof / error if noisy else np.inf
        self.weight_precision_ = rho * self.noise_precision_
        self.coef_ = V @ m
        self.intercept_ = mean - float(self._mean @ self.coef_) if self.fit_intercept else 0.0
        self.covariance_ = (V / (evidence.values + rho)) @ V.T / self.noise_precision_
        self.n_effective_ = float((evidence.values / (evidence.values + rho)).sum())
        self.log_evidence_ = evidence.of(rho)
        self._n = n
        return self._record(
            status,
            reason,
            objective=-self.log_evidence_ if noisy else None,
            certificate=slope,
            certificate_kind="closed_form" if slope is None else "gradient_norm",
        )

    def predict(self, X: MatrixLike, return_std: bool = False) -> Any:
        """Predicted target of each row, the mean of its predictive distribution.

        Parameters
        ----------
        return_std : bool, default=False
            Whether to return the standard deviation of the predictive distribution, too.

        Returns
        -------
        array of shape (n,), or two of them
        """
        if not isinstance(return_std, bool):
            raise ValueError(f"return_std is {return_std!r}; use True or False.")
        X = self._check_rows(X)
        mean = X @ self.coef_ + self.intercept_
        if not return_std:
            return mean
        rows = (X.toarray() if sparse.issparse(X) else X) - self._mean
        variance = 1 / self.noise_precision_ + ((rows @ self.covariance_) * rows).sum(axis=1)
        if self.fit_intercept:
            variance += 1 / (self.noise_precision_ * self._n)
        return mean, np.sqrt(variance)


class Evidence:
    """ln p(data | ρ) with the noise at its best, in coordinates in which XᵀWX = diag(values)."""

    residual_squares = 0.0  # what no weights explain
    xty: Array  # XᵀWy in these coordinates

    def __init__(self, values: Array, xty: Array, dof: float):
        known = values > 10 * len(values) * EPS * values.max(initial=0)
        self.values, self.xty = np.where(known, values, 0), np.where(known, xty, 0)
        self.scale, self.dof = float(values.mean()) or 1.0, dof
        self.inverse = np.divide(1.0, values, out=np.zeros_like(values), where=known)

    @property
    def limits(self) -> tuple[float, float]:
        """Least and largest ρ. Where little noise σ² is left the evidence is largest near ρ = d σ²/‖w‖², whatever n is,
        and the eigenvalues grow with n.
        """
        share = min(1.0, len(self.values) / max(self.dof, 1.0))
        return self.scale * share / RANGE, self.scale * RANGE

    @property
    def total(self) -> float:
        """Σ w y²."""
        return self.residual_squares + float(self.xty**2 @ self.inverse)

    def least_squares(self) -> Array:
        return self.xty * self.inverse

    def fit(self, rho: float) -> tuple[Array, float]:
        """(m, RSS + ρ‖m‖²), the minimum of the ridge objective, as a sum of positive terms."""
        m = self.xty / (self.values + rho)
        return m, self.residual_squares + rho * float(m @ self.least_squares())

    def of(self, rho: float) -> float:
        _, error = self.fit(rho)
        if error <= 0 or self.dof <= 0:
            return np.inf  # the density of a constant
        n = self.dof
        spread = -0.5 * float(np.log1p(self.values / rho).sum())
        return spread - 0.5 * n * (np.log(2 * np.pi * error / n) + 1)

    def _gain(self, rho: float) -> float:
        """ln p(data | ρ) without a constant of the size of n, whose rounding may exceed all differences."""
        m, _ = self.fit(rho)
        explained = rho * float(m @ self.least_squares()) / self.residual_squares
        return -0.5 * float(np.log1p(self.values / rho).sum() + self.dof * np.log1p(explained))

    def slope(self, rho: float) -> float:
        """∂ ln p/∂ ln ρ = ½ (γ − α‖m‖²)."""
        m, error = self.fit(rho)
        gamma = float((self.values / (self.values + rho)).sum())
        return 0.5 * (gamma - rho * float(m @ m) * self.dof / max(error, np.finfo(float).tiny))

    def best(self) -> tuple[float, float]:
        """(ρ of the largest evidence, |slope|/n there)."""
        if not self.total > 0:
            return self.scale, 0.0
        u = np.log(np.geomspace(*self.limits, GRID))
        heights = [self._gain(float(np.exp(v))) for v in u]
        top = int(np.argmax(heights))
        low, high = u[max(top - 1, 0)], u[min(top + 1, GRID - 1)]
        best = u[top]
        if self.slope(float(np.exp(low))) > 0 > self.slope(float(np.exp(high))):
            best = brentq(lambda v: self.slope(float(np.exp(v))), low, high, xtol=1e-14)
        rho = float(np.exp(best))
        return rho, abs(self.slope(rho)) / self.dof
