"""Relevance vector machine: each weight has a prior of its own, and the evidence decides which weights stay,

    ln P(1 | x)/P(0 | x) = z = Σ_j w_j φ_j(x) + b,   w_j ~ N(0, 1/α_j),

with columns φ_j(x) = k(x, x_j) for the training rows x_j, or φ_j(x) = x_j, the features (`kernel=None`), which is
logistic regression with automatic relevance determination. The posterior is Laplace's, as in
BayesianLogisticRegression, and the intercept has a flat prior: at the mode, with the curvature of the likelihood there,

    ẑ = z + B⁻¹(y − σ(z)),   B = diag σ′(z),   ln p(ẑ | α) = ln N(ẑ | 0, C),   C = B⁻¹ + ΦA⁻¹Φᵀ.

The α_j maximize it with the curvature held fixed, in turn with the mode; most become infinite, so that w_j = 0. Rows
x_j that stay are the relevance vectors, mostly fewer than support vectors. There is no strength to choose. The
certificate says that no change of one α_j raises ln p(ẑ | α) at the mode; there may be several such points. Up to 500
columns the fit begins with none and, twice, with all, and keeps the end of higher evidence.
A curvature of nearly 0 promises gains that the mode does not keep. Therefore, once a column has left three times,
changes of its variance 1/α_j that turn back are halved, until it is best at its own mode. If the columns separate the
classes the curvature may vanish, as it does with frequency weights far above 1; then the status is 'separable'.
Probabilities are averaged over the posterior, P(1 | x) ≈ σ(κz), κ = 1/√(1 + π s²/8), with the variance s² of z. For
two classes. Weights are frequency weights.

Predicts: log-odds and probabilities, averaged over the posterior.
Cost: O(n M m) for each mode, and O(n M + M m²) for each change of one of the M precisions, m of them finite; M = n
    with a kernel, and O(n²) memory there.
Certificate: evidence gain.
Reference: Tipping (2001), JMLR 1; Tipping & Faul (2003), AISTATS; Bishop (2006), §7.2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import expit

from linclass.base.arrays import Array, ArrayLike, ClassWeight, Matrix, MatrixLike, PerRow
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.design_matrix import DesignMatrix
from linclass.bayes.laplace_posterior import LaplacePosterior
from linclass.bayes.relevance import (
    Relevance,
    RelevanceMachine,
    WeightedColumns,
    ascend,
    beginnings,
)
from linclass.kernels.functions import KernelLike
from linclass.linear.losses.margin import Logistic
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers.newton import Newton
from linclass.linear.support_vectors import rows_that_count

MODES = 200  # limit
MODE_UPDATE_SHARE = 0.1  # share of the largest gain, at which the mode follows
LOST_MODE_EVIDENCE = 0.5  # of the log evidence, by which only a mode that was not found is lower
SEPARATED = (
    "the columns separate the classes, so the evidence rises as the weights grow; use a smaller gamma, or "
    "KernelLogisticRegression, whose strength bounds them."
)


class RelevanceVectorMachine(SoftmaxProbabilities, RelevanceMachine):
    """Attributes
    ----------
    classes_ : array of shape (2,)
        The classes, sorted.
    mean_coef_ : array of shape (1, d), only with kernel=None
        Posterior mean of the weights, 0 where α_j is infinite. There is no coef_, as averaged scores are not linear
        in x.
    dual_coef_ : array of shape (1, m), only with a kernel
        Posterior mean of the weights of the m rows `support_`.
    mean_intercept_ : array of shape (1,)
        Posterior mean of the intercept.
    log_evidence_ : float
        ln p(data | α) of Laplace's approximation, the intercept with the density 1.
    """

    for_more_classes: ClassVar[str] = "OneVsRest(RelevanceVectorMachine())"
    _counts_rows = True

    def __init__(
        self,
        *,
        kernel: KernelLike | None = "gaussian",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        kept = rows_that_count(sample_weight, len(np.asarray(y)))
        columns, means = self._columns(X, kept, weights)
        rows = Labelled(DesignMatrix(columns, False), codes, weights)
        again = self._columns_again(X, columns.shape[1])
        ends = [self._ascend(rows, again, first) for first in beginnings(columns.shape[1])]
        mode, gain, moves = max(ends, key=lambda end: (end[1] <= self.tol, end[0].log_evidence))
        self._learn(X, kept, mode, means[mode.active])
        status, reason = self._stopped(gain, moves)
        on_their_side = bool(((mode.scores > 0) == codes).all())
        if status == "max_iter" and moves < self._most and on_their_side:
            status, reason = "separable", SEPARATED
        return self._record(
            status,
            reason,
            objective=-self.log_evidence_,
            certificate=gain,
            certificate_kind="evidence_gain",
            n_iter=moves,
        )

    def _ascend(self, rows: Labelled, away: Array, first: float | None) -> tuple[Mode, float, int]:
        """(last mode, the largest gain that is left at it, moves), from all columns with the first ρ, or from none."""
        mode, moves, modes = rows.mode(np.zeros(0, int), np.zeros(0)), 0, 0
        pace = Pace(len(away))
        while True:
            search = rows.evidence(mode, away)
            gain = float(search.best()[1].max(initial=0.0))
            if gain <= self.tol or moves >= self._most or modes == MODES:
                return mode, gain, moves
            least = max(self.tol, MODE_UPDATE_SHARE * gain)
            _, more = ascend(search, least, self._most - moves, None if modes else first)
            if not more:
                return mode, gain, moves
            modes, moves = modes + 1, moves + more
            old, new = np.zeros(len(away)), np.zeros(len(away))
            old[mode.active] = 1 / mode.alpha
            new[search.active] = search.columns.scale[search.active] ** 2 / search.rho
            variance = pace.towards(old, new)
            active = np.flatnonzero(variance)
            after = rows.mode(active, 1 / variance[active], mode)
            least = mode.log_evidence - LOST_MODE_EVIDENCE * abs(mode.log_evidence)
            if after.log_evidence < least:  # Newton's method stopped where no row has a curvature
                after = rows.mode(active, 1 / variance[active])
            if after.log_evidence < least:
                return mode, gain, moves
            mode = after

    def _learn(self, X: Matrix, kept: Array, mode: Mode, centre: Array) -> None:
        active, alpha = mode.active, mode.alpha
        m = len(active)
        values, V = np.linalg.eigh(mode.covariance)
        root = V * np.sqrt(np.maximum(values, 0))
        root[m] -= centre @ root[:m]
        self._keep(X, kept, active, alpha, root)
        w = mode.theta[:m]
        self.mean_intercept_ = np.array([mode.theta[m] - centre @ w])
        self.n_effective_ = float(m - alpha @ mode.covariance.diagonal()[:m])
        self.log_evidence_ = mode.log_evidence
        if self.kernel is None:
            self.mean_coef_ = np.zeros((1, X.shape[1]))
            self.mean_coef_[0, active] = w
        else:
            self.dual_coef_ = w[None]

    def decision_function(self, X: MatrixLike) -> Array:
        """Log-odds ln P/(1 − P) of the predictive probability.

        Returns
        -------
        array of shape (n,)
        """
        X = self._check_rows(X)
        w = self.mean_coef_[:, self._active] if self.kernel is None else self.dual_coef_
        mean = self._combined(X, w)[:, 0] + self.mean_intercept_[0]
        return np.asarray(mean / np.hypot(1, np.sqrt(np.pi / 8) * self._deviations(X)))


# Laplace's posterior of the weights of a few columns with precisions α, and the evidence of a Gaussian in its place:
#
#     ẑ = z + B⁻¹(y − σ(z)),   B = diag σ′(z),   ln p(ẑ | α) = ln N(ẑ | 0, B⁻¹ + ΦA⁻¹Φᵀ),
#
# with the scores z at the mode. The target ẑ has the slopes and the curvature of the likelihood there.

MODE_TOL = 1e-12  # gap of a mode: gains are squares of slopes
FLAT = 1e-12  # least curvature of a row, so that slope/curvature stays finite


class Mode(NamedTuple):
    """The posterior of the weights of the columns that stay and of the intercept, the last."""

    active: Array
    alpha: Array
    theta: Array
    covariance: Array
    scores: Array
    log_evidence: float


@dataclass(frozen=True)
class Labelled:
    """Columns of rows of two classes, with weights."""

    design: DesignMatrix
    codes: Array
    weights: Array

    def mode(self, active: Array, alpha: Array, near: Mode | None = None) -> Mode:
        """The mode of the posterior, in units of the deviations of the prior, where all strengths are equal."""
        design, m = self.design, len(active)
        total, unit = float(self.weights.sum()), np.append(1 / np.sqrt(alpha), 1.0)
        columns = design.columns(active, np.zeros(design.n_features), np.ones(design.n_rows))
        # a design needs a column; the weight of a column of zeros is 0
        rows = columns * unit[:m] if m else np.zeros((design.n_rows, 1))
        target = np.where(self.codes, 1.0, -1.0)
        P = Objective(DesignMatrix(rows), Logistic(), target, self.weights, L2(), 1 / total)
        start = P.zero()
        if m and near is not None:
            old = np.zeros(design.n_features)
            old[near.active] = near.theta[:-1]
            start = np.append(old[active], near.theta[-1]) / unit
        posterior = LaplacePosterior(P, total, Newton(tol=MODE_TOL).solve(P, start))
        covariance, height = posterior.covariance, posterior.log_evidence()
        theta = posterior.solution.theta
        scores = P.design.scores(theta)
        if not m:
            theta, covariance = theta[1:], covariance[1:, 1:]
        return Mode(active, alpha, theta * unit, covariance * np.outer(unit, unit), scores, height)

    def evidence(self, mode: Mode, away: Array) -> Relevance:
        """The evidence of the Gaussian approximation at a mode. Columns that are `away` count as constants."""
        z = mode.scores
        curvature = np.maximum(expit(z) * expit(-z), FLAT)
        slope = np.where(self.codes, expit(-z), -expit(z))
        target = mode.scores + slope / curvature
        columns = WeightedColumns(self.design, self.weights * curvature, target, away)
        search = Relevance(columns, None)
        search.stay(mode.active, mode.alpha * columns.scale[mode.active] ** 2)
        return search


# The part of a change of the prior variances 1/α_j that is made before the mode of the posterior follows.
#
# A curvature of nearly 0 promises gains that the mode does not keep, so that a column would enter and leave for ever.
# If a column left LEAVES times, a change that turns back is halved: between no variance and one that is too large
# there is one that is best at its own mode.

CHANGE_GROWTH = 1.5  # growth of the part that is made of a change
LEAVES = 3


class Pace:
    """The parts of all columns, by their changes so far."""

    def __init__(self, n_columns: int):
        self.share, self.last = np.ones(n_columns), np.zeros(n_columns)
        self.left = np.zeros(n_columns, int)

    def towards(self, old: Array, new: Array) -> Array:
        self.left += (old > 0) & (new == 0)
        change = new - old
        turns = (change * self.last < 0) & (self.left >= LEAVES)
        self.share = np.where(turns, self.share / 2, np.minimum(CHANGE_GROWTH * self.share, 1))
        self.last = change
        return np.where(self.share == 1, new, old + self.share * change)
