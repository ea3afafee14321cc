"""Relevance vector machine: each weight has a prior of its own, and the evidence decides which weights stay,

    ln P(1 | x)/P(0 | x) = z = Σ_j w_j φ_j(x) + b,   w_j ~ N(0, 1/α_j),

with columns φ_j(x) = k(x, x_j) for the training rows x_j, or φ_j(x) = x_j, the features (`kernel=None`), which is
logistic regression with automatic relevance determination. The posterior is Laplace's, as in
BayesianLogisticRegression, and the intercept has a flat prior: at the mode, with the curvature of the likelihood there,

    ẑ = z + B⁻¹(y − σ(z)),   B = diag σ′(z),   ln p(ẑ | α) = ln N(ẑ | 0, C),   C = B⁻¹ + ΦA⁻¹Φᵀ.

The α_j maximize it with the curvature held fixed, in turn with the mode; most become infinite, so that w_j = 0. Rows
x_j that stay are the relevance vectors, mostly fewer than support vectors. There is no strength to choose. The
certificate says that no change of one α_j raises ln p(ẑ | α) at the mode; there may be several such points. A column
that has left three times stays away, since a curvature of nearly 0 promises gains that the mode does not keep; it
counts in the certificate, so such fits may end `max_iter`.
Probabilities are averaged over the posterior, P(1 | x) ≈ σ(κz), κ = 1/√(1 + π s²/8), with the variance s² of z. For
two classes. Weights count rows.

Predicts: log-odds and probabilities, averaged over the posterior.
Cost: O(n M m) for each mode, and O((n + m) M) a step between for m of M columns that stay, M = n with a kernel, and
    O(n²) memory there.
Certificate: evidence gain.
Reference: Tipping (2001), JMLR 1; Tipping & Faul (2003), AISTATS; Bishop (2006), §7.2.3.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import expit

from linclass.annotations import ArrayLike, ClassWeight, MatrixLike
from linclass.composition.support_vectors import rows_that_count
from linclass.conventions.counts_rows import CountsRows
from linclass.conventions.softmax_probabilities import SoftmaxProbabilities
from linclass.counted import counted
from linclass.design.design_matrix import DesignMatrix
from linclass.kernel_machines.relevance_machine import RelevanceMachine
from linclass.kernels.base import KernelLike
from linclass.likelihood.laplace_posterior import LaplacePosterior
from linclass.likelihood.relevance import Relevance
from linclass.likelihood.weighted_columns import WeightedColumns
from linclass.losses.logistic import Logistic
from linclass.numerics.arrays import Array
from linclass.objective.objective import Objective
from linclass.penalties.l2 import L2
from linclass.solvers.smooth.newton import Newton

MODES = 200  # limit
LEAVES = 3  # times, the last for good: a curvature of nearly 0 promises gains that the mode does not keep
SHARE = 0.1  # of the largest gain, at which the mode follows
EXACT = 1e-12  # gap of a mode: gains are squares of slopes
KEPT_OUT = "{} that left three times stay out; one would raise the log evidence by {:.1e} at this mode, not at its own."
FLAT = 1e-12  # least curvature of a row, so that slope/curvature stays finite


class RelevanceVectorMachine(RelevanceMachine, CountsRows, SoftmaxProbabilities):
    """Parameters
    ----------
    kernel : str, callable or None, default='gaussian'
        'gaussian', 'polynomial', 'sigmoid', 'linear', a function (X, X′) → matrix (n, n′), or
        'precomputed': X is then the matrix of kernel values between rows and training rows. None takes the
        features as the columns, which is automatic relevance determination.
    gamma : float or 'scale', default='scale'
        Factor γ of the kernels 'gaussian', 'polynomial' and 'sigmoid'. 'scale' is
        1/(d · variance of all entries of X, of weighted rows).
    degree : int, default=3
        Degree of the kernel 'polynomial'.
    offset : float, default=1.0
        Constant term of the kernels 'polynomial' and 'sigmoid'.
    class_weight : 'balanced', dict or None, default=None
        Factor on the weights of the rows of each class. 'balanced' gives every class the same total
        weight; a dict maps classes to factors (1 for those it leaves out); None is 1 for all.
    tol : float, default=1e-6
        Tolerance: the fit has converged when `certificate_` is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of changes of an α_j. None is 10000.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The classes, sorted.
    precisions_ : array of shape (d,) with kernel=None, (n,) with a kernel
        The α_j of all columns, infinite for those that have left.
    coef_ : array of shape (1, d), only with kernel=None
        Posterior mean of the weights, 0 where α_j is infinite.
    dual_coef_ : array of shape (1, m), only with a kernel
        Posterior mean of the weights of the m rows `support_`.
    support_ : array of shape (m,), only with a kernel
        Indices of the relevance vectors.
    intercept_ : array of shape (1,)
        Posterior mean of the intercept.
    covariance_ : array of shape (m + 1, m + 1)
        Posterior covariance of the m weights that stay, and of the intercept, the last.
    n_effective_ : float
        Σ_j (1 − α_j Σ_jj), the number of weights that the data determine.
    log_evidence_ : float
        ln p(data | α) of Laplace's approximation, the intercept with the density 1.
    """

    for_more_classes: ClassVar[str] = "OneVsRest(RelevanceVectorMachine())"

    def __init__(
        self,
        *,
        kernel: KernelLike | None = "gaussian",
        gamma: float | str = "scale",
        degree: int = 3,
        offset: float = 1.0,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.offset = offset
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        kept = rows_that_count(sample_weight, len(np.asarray(y)))
        columns, means = self._columns(X, kept, weights)
        design, active, alpha = DesignMatrix(columns, False), np.zeros(0, int), np.zeros(0)
        mode, moves = find_mode(design, codes, weights, active, alpha), 0
        again = self._columns_again(X, design.n_features)
        left, modes = np.zeros(design.n_features, int), 0  # how often each column has left
        while True:
            search = mode.evidence(design, codes, weights, active, alpha, again | (left >= LEAVES))
            gain = float(search.best()[1].max(initial=0.0))
            if gain <= self.tol or moves >= self._most or modes == MODES:
                break
            modes += 1
            _, more = search.ascend(max(self.tol, SHARE * gain), self._most - moves)
            if not more:
                break
            moves += more
            left[np.setdiff1d(active, search.active)] += 1
            active, alpha = search.active, search.rho / search.columns.scale[search.active] ** 2
            mode = find_mode(design, codes, weights, active, alpha)
        self._learn(X, kept, mode, active, alpha, means[active])
        status, reason = self._stopped(gain, moves)
        if (away := left >= LEAVES).any() and status == "converged":
            every = mode.evidence(design, codes, weights, active, alpha, again)
            if (gain := float(every.best()[1].max())) > self.tol:
                status, reason = "max_iter", KEPT_OUT.format(counted(away.sum(), "column"), gain)
        return self._record(
            status,
            reason,
            objective=-self.log_evidence_,
            certificate=gain,
            certificate_kind="evidence_gain",
            n_iter=moves,
        )

    def _learn(
        self, X: MatrixLike, kept: Array, mode: Mode, active: Array, alpha: Array, centre: Array
    ) -> None:
        m = len(active)
        values, V = np.linalg.eigh(mode.covariance)
        root = V * np.sqrt(np.maximum(values, 0))
        root[m] -= centre @ root[:m]
        self._keep(X, kept, active, alpha, root)
        w = mode.theta[:m]
        self.intercept_ = np.array([mode.theta[m] - centre @ w])
        self.n_effective_ = float(m - alpha @ mode.covariance.diagonal()[:m])
        self.log_evidence_ = mode.log_evidence
        if self.kernel is None:
            self.coef_ = np.zeros((1, X.shape[1]))
            self.coef_[0, active] = w
        else:
            self.dual_coef_ = w[None]

    def decision_function(self, X: MatrixLike) -> Array:
        """Log-odds ln P/(1 − P) of the predictive probability.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n,)
        """
        X = self._check_rows(X)
        w = self.coef_[:, self._active] if self.kernel is None else self.dual_coef_
        mean = self._combined(X, w)[:, 0] + self.intercept_[0]
        return np.asarray(mean / np.hypot(1, np.sqrt(np.pi / 8) * self._deviations(X)))


class Mode(NamedTuple):
    """Laplace's posterior of the weights of the columns that stay and of the intercept, the last."""

    theta: Array
    covariance: Array
    scores: Array
    log_evidence: float

    def evidence(
        self,
        design: DesignMatrix,
        codes: Array,
        weights: Array,
        active: Array,
        alpha: Array,
        away: Array,
    ) -> Relevance:
        """The evidence of a Gaussian with the slopes and the curvature of the likelihood at the mode.

        Columns that are `away` count as constants.
        """
        curvature = np.maximum(expit(self.scores) * expit(-self.scores), FLAT)
        slope = np.where(codes, expit(-self.scores), -expit(self.scores))
        target = self.scores + slope / curvature
        columns = WeightedColumns(design, weights * curvature, target, away)
        search = Relevance(columns, None)
        search.stay(active, alpha * columns.scale[active] ** 2)
        return search


def find_mode(
    design: DesignMatrix, codes: Array, weights: Array, active: Array, alpha: Array
) -> Mode:
    """In units of the deviations of the prior, in which all weights have the same strength."""
    total, unit = float(weights.sum()), np.append(1 / np.sqrt(alpha), 1.0)
    m = len(active)
    own = design.columns(active, np.zeros(design.n_features), np.ones(design.n_rows)) * unit[:m]
    rows = own if m else np.zeros((design.n_rows, 1))  # a design needs a column; its weight is 0
    P = Objective(
        DesignMatrix(rows), Logistic(), np.where(codes, 1.0, -1.0), weights, L2(), 1 / total
    )
    posterior = LaplacePosterior(P, total, Newton(tol=EXACT))
    solution, _ = posterior.at(1 / total)
    height = posterior.log_evidence(solution, 1 / total)
    theta, covariance = solution.theta, posterior.covariance
    if not m:
        theta, covariance = theta[1:], covariance[1:, 1:]
    scores = P.design.scores(solution.theta)
    return Mode(theta * unit, covariance * np.outer(unit, unit), scores, height)
