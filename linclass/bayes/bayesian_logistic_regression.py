"""Bayesian logistic regression: the weights have a prior N(0, α⁻¹I) and a Gaussian posterior (Laplace),

    θ = argmin (1/Σω_i) Σ ω_i (−ln P(y_i | x_i)) + strength · ½‖W‖²,   α = Σω · strength,
    p(θ | data) ≈ N(θ, A⁻¹),   A = the Hessian of −ln p(θ, data) at its minimum,

the intercepts with a flat prior. The strength needs no inner folds: with the curvature of the likelihood held fixed the
evidence p(data | α) is largest where α ‖W‖² = γ, the number of parameters that the data determine,
γ = Σ_i λ_i/(λ_i + α) = D − α tr (A⁻¹)_WW (MacKay; that the curvature varies with α is neglected).
A row's score is normal with mean μ and variance s² = xᵀA⁻¹x, and its probability is the mean of σ over it,

    P(1 | x) = ∫ σ(z) N(z; μ, s²) dz ≈ σ(κ μ),   κ = 1/√(1 + π s²/8)   (probit approximation),

nearer to ½ than σ(μ) where rows are few. For K classes z_k is taken relative to the mean of all scores, and
P(k | x) ∝ e^{κ_k μ_k}, which neglects how scores vary together.

Predicts: log-odds and probabilities, averaged over the posterior.
Cost: O(n p² + p³) per Newton step, a few for each strength that is tried, p = K (d + 1); for two classes p = d + 1, or
O(n³) per strength with more features than rows, sparse or not.
Certificate: duality gap, of the posterior mode.
Reference: MacKay (1992), Neural Computation 4; Bishop (2006), §4.5 and §3.5; K classes: Murphy (2022), §10.5.
"""

from __future__ import annotations

from numbers import Real
from typing import Self

import numpy as np
from scipy import sparse
from scipy.special import log_expit, log_ndtr, logsumexp

from linclass.base.arrays import Array, ArrayLike, ClassWeight, Matrix, MatrixLike, PerRow, shifted
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_scores import MAX_SCORE, products
from linclass.base.messages import NotApplicable, counted
from linclass.bayes.laplace_posterior import (
    RowPosterior,
    largest_evidence,
    posteriors,
    score_deviations,
)
from linclass.linear.losses.margin import Logistic
from linclass.linear.losses.multiclass import Softmax
from linclass.linear.objective.coordinates import about_mean, far_about_mean
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers.newton import Newton

PREDICTIVES = ("probit", "quadrature", "mode")


class BayesianLogisticRegression(SoftmaxProbabilities):
    """Parameters
    ----------
    strength : float or 'evidence', default='evidence'
        Factor of the penalty in the objective above, α/Σω, above 0; 'evidence' is where α‖W‖² = γ.
    predictive : {'probit', 'quadrature', 'mode'}, default='probit'
        Probabilities: by the probit approximation; by quadrature of the integral, to 10⁻⁸, only for two classes;
        or σ(μ), without the uncertainty of the weights.
    max_iter : int or None, default=None
        Limit on the number of Newton steps for each strength. None is 100.

    Attributes
    ----------
    mean_coef_ : array of shape (1, d) for two classes, (K, d) for more
        Posterior mean of the weights W.
    mean_intercept_ : array of shape (1,) for two classes, (K,) for more
        Posterior mean of the intercepts b.
    coef_, intercept_ : array, only with predictive='mode'
        Equal to `mean_coef_` and `mean_intercept_`. Scores that are averaged over the posterior are not linear in x.
    covariance_ : array of shape (p, p)
        Posterior covariance A⁻¹ of the parameters (w_k, b_k), class by class; computed when it is asked for.
    strength_ : float
        The strength that was used.
    n_effective_ : float
        γ, the number of weights that the data determine.
    log_evidence_ : float
        ln p(data | α) of Laplace's approximation, intercepts with the density 1; it compares models of the same rows.
    """

    _counts_rows = True

    def __init__(
        self,
        *,
        strength: float | str = "evidence",
        predictive: str = "probit",
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int | None = None,
        class_weight: ClassWeight = None,
    ):
        self.strength = strength
        self.predictive = predictive
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        number = isinstance(self.strength, Real) and 0 < self.strength < np.inf
        if self.strength != "evidence" and not number:
            raise ValueError(
                f"strength is {self.strength!r}; it must be a number above 0, or 'evidence'."
            )
        if self.predictive not in PREDICTIVES:
            raise ValueError(
                f"predictive is {self.predictive!r}; it must be one of "
                f"{', '.join(map(repr, PREDICTIVES))}."
            )
        Newton(tol=self.tol, max_iter=self.max_iter).check()

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        d, K = X.shape[1], len(self.classes_)
        if self.predictive == "quadrature" and K > 2:
            raise NotApplicable(
                f"predictive is 'quadrature', which is for two classes, and y has {K}; use 'probit'."
            )
        loss, target = (Logistic(), 2.0 * codes - 1) if K == 2 else (Softmax(K), codes)
        self._mean = np.zeros(d)
        if self.fit_intercept:  # digits of offsets are lost in squares
            centre = far_about_mean if sparse.issparse(X) else about_mean
            X, self._mean = centre(X, weights / weights.sum())
        design = DesignMatrix(X, self.fit_intercept)
        objective = Objective(design, loss, target, weights, L2(), 1.0)
        total = float(weights.sum())
        posterior_of = posteriors(objective, total, self.tol, self.max_iter)
        if self.strength == "evidence":
            found = largest_evidence(objective, total, posterior_of)
            self.strength_, reason, posterior, n_iter = found
        else:
            self.strength_, reason = float(self.strength), ""
            posterior = posterior_of(objective.with_strength(self.strength_), objective.zero())
            n_iter = posterior.solution.n_iter
        solution = posterior.solution
        self.n_effective_ = posterior.n_effective
        self._posterior = posterior  # of rows about the mean, with intercepts u = b + x̄·w
        self.log_evidence_ = posterior.log_evidence()
        theta = np.atleast_2d(solution.theta)
        theta = theta - theta.mean(axis=0) if K > 2 else theta
        self.mean_coef_ = np.ascontiguousarray(theta[:, :d])
        self.mean_intercept_ = np.zeros(len(theta))
        if self.fit_intercept:  # for the features as they are: b = u − x̄·w
            self.mean_intercept_ = theta[:, d] - self.mean_coef_ @ self._mean
        status = "converged"
        if solution.certificate > self.tol:
            status = "max_iter"
            steps = counted(solution.n_iter, "step")
            reason = f"Newton's method stopped after {steps} with {solution.distance}; tol is {self.tol:g}."
        return self._record(
            status,
            reason,
            objective=solution.objective,
            certificate=solution.certificate,
            certificate_kind=solution.certificate_kind,
            n_iter=n_iter,
        )

    @property
    def coef_(self) -> Array:
        """The posterior mean of the weights, only with predictive='mode'."""
        return self._linear("coef_")

    @property
    def intercept_(self) -> Array:
        """The posterior mean of the intercepts, only with predictive='mode'."""
        return self._linear("intercept_")

    def _linear(self, name: str) -> Array:
        if self.predictive != "mode":
            raise AttributeError(
                f"scores averaged over the posterior are not linear in x, so there is no {name}; mean_{name} is the "
                "posterior mean, and predictive='mode' has linear scores."
            )
        return np.asarray(getattr(self, f"mean_{name}"))

    @property
    def covariance_(self) -> Array:
        """Posterior covariance A⁻¹ of the parameters (w_k, b_k), of shape (p, p)."""
        C, d = self._posterior.covariance, len(self._mean)
        if not self.fit_intercept:
            return C
        K = len(C) // (d + 1)
        blocks = C.copy().reshape(K, d + 1, K, d + 1)
        blocks[:, d] -= np.einsum("j,kjlm->klm", self._mean, blocks[:, :d])
        blocks[..., d] -= blocks[..., :d] @ self._mean
        return np.asarray(blocks.reshape(C.shape))

    def decision_function(self, X: MatrixLike) -> Array:
        """Log-odds ln P/(1 − P) of the predictive probability; for more than two classes κ_k μ_k.

        They are linear in x only with predictive='mode'.

        Returns
        -------
        array of shape (n,) for two classes, (n, K) for more
        """
        X = self._check_rows(X)
        mean = products(X, self.mean_coef_) + self.mean_intercept_
        if self.predictive == "probit":
            mean = mean / np.hypot(1, np.sqrt(np.pi / 8) * self._deviations(X))
        elif self.predictive == "quadrature":
            # the smaller of the two probabilities, whose digits count
            log_p = log_mean_of_sigmoid(-np.abs(mean[:, 0]), self._deviations(X)[:, 0])
            log_odds = log_p - np.log1p(-np.exp(log_p))
            return np.where(mean[:, 0] > 0, -log_odds, log_odds)
        return mean[:, 0] if mean.shape[1] == 1 else mean

    def _deviations(self, X: Matrix) -> Array:
        """√(xᵀ A⁻¹ x) of each score; of K of them relative to their mean."""
        if isinstance(self._posterior, RowPosterior):
            X = shifted(X, self._mean) if self._mean.any() else X
            return self._posterior.deviations(X, MAX_SCORE)
        rows = (X.toarray() if sparse.issparse(X) else X) - self._mean
        if self.fit_intercept:
            rows = np.column_stack([rows, np.ones(len(rows))])
        return score_deviations(rows, self._posterior.covariance, MAX_SCORE)


# The mean of the logistic function over a normal score,  p = ∫ σ(z) N(z; μ, s²) dz.
#
# By the trapezoidal rule, whose error falls exponentially with the number of nodes: at a distance of ½ in z it is far
# below rounding, for the poles of σ nearest to the real line are ±iπ. Gauss and Hermite's rule converges only slowly
# for s > 5. Beyond s = 100 the logistic distribution counts as a normal one of its variance π²/3, p = Φ(μ/√(s² +
# π²/3)), with an error of order s⁻⁴, below 10⁻⁸.   Trefethen & Weideman (2014), SIAM Review 56

WIDE = 100.0
REACH = 9.0  # standard deviations beyond the peaks of φ(u) and of e^z φ(u)
DISTANCE = 0.5  # distance of nodes in z
CELLS = 2_000_000  # nodes times rows at a time


def log_mean_of_sigmoid(mean: Array, deviation: Array) -> Array:
    """ln p (n,), accurate for every p ≤ ½, that is for mean ≤ 0."""
    log_p = log_ndtr(mean / np.hypot(deviation, np.pi / np.sqrt(3)))
    octave = np.ceil(np.log2(np.clip(deviation, 2, 2 * WIDE)))  # rows that share their nodes
    octave[deviation > WIDE] = np.inf
    for k in np.unique(octave[np.isfinite(octave)]):
        rows = np.flatnonzero(octave == k)
        s, m = deviation[rows], mean[rows]
        shift = float(np.where(s * s < -m, s, -m / np.maximum(s, 1e-9)).max())
        u = np.arange(-REACH, REACH + shift, DISTANCE / 2**k)
        log_weights = -0.5 * u * u - logsumexp(-0.5 * u * u)
        for part in np.array_split(np.arange(len(rows)), -(-len(rows) * len(u) // CELLS)):
            z = m[part, None] + s[part, None] * u
            log_p[rows[part]] = logsumexp(log_expit(z) + log_weights, axis=1)
    return np.asarray(log_p)
