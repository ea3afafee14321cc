"""Relevance vector machine for regression: each weight has a prior of its own, and the evidence decides which stay,

    y = Σ_j w_j φ_j(x) + b + ε,   ε ~ N(0, 1/β),   w_j ~ N(0, 1/α_j),

with columns φ_j(x) = k(x, x_j) for the training rows x_j, or φ_j(x) = x_j, the features (`kernel=None`), which is
automatic relevance determination. The α_j and β maximize the evidence; with A = diag(α), and y and φ centred, for the
intercept has a flat prior,

    ln p(y | α, β) = ln N(y | 0, C),   C = β⁻¹I + ΦA⁻¹Φᵀ.

Most α_j become infinite, so that w_j = 0; rows x_j that stay are the relevance vectors. The posterior of the other
weights is N(m, Σ), Σ = (A + βΦᵀΦ)⁻¹, m = βΣΦᵀy. Each step changes the α_j that raises the evidence most to its best
value, with β at its best for it, so the evidence never falls. It has several maxima: up to 500 columns the fit begins
with none and, twice, with all, and keeps the end of higher evidence. The certificate says only that no change of one
α_j leads higher. Weights are frequency weights.

Predicts: the mean of y and, if asked, its standard deviation.
Cost: O(n M + M m²) for each change of one of the M precisions, m of them finite; M = n with a kernel, and O(n²)
    memory there.
Certificate: evidence gain.
Reference: Tipping (2001), JMLR 1; Tipping & Faul (2003), AISTATS; Bishop (2006), §7.2.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, MatrixLike, PerRow
from linclass.base.design_matrix import DesignMatrix
from linclass.base.regressor import Regressor
from linclass.bayes.relevance import (
    Relevance,
    RelevanceMachine,
    WeightedColumns,
    ascend,
    beginnings,
)
from linclass.kernels.functions import KernelLike
from linclass.linear.support_vectors import rows_that_count

NO_NOISE = "few columns fit y without noise, so the evidence has no maximum; use a model with a strength, as Ridge."


class RelevanceVectorRegressor(RelevanceMachine, Regressor):
    """Attributes
    ----------
    coef_ : array of shape (d,), only with kernel=None
        Posterior mean of the weights, 0 where α_j is infinite.
    dual_coef_ : array of shape (m,), only with a kernel
        Posterior mean of the weights of the m rows `support_`.
    intercept_ : float
        Posterior mean of the intercept.
    noise_precision_ : float
        β.
    log_evidence_ : float
        ln p(y | α, β).
    """

    _counts_rows = True

    def __init__(
        self,
        *,
        kernel: KernelLike | None = "gaussian",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        tol: float = 1e-6,
        max_iter: int | None = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        n_given = len(np.asarray(y)) if y is not None else 0
        X, y, weights = self._start_fit(X, y, sample_weight)
        kept = rows_that_count(sample_weight, n_given)
        columns, means = self._columns(X, kept, weights)
        total = float(weights.sum())
        middle = float(weights @ y) / total
        design = DesignMatrix(columns, False)
        again = self._columns_again(X, design.n_features)
        weighted_columns = WeightedColumns(design, weights, y - middle, again)
        ends = []
        for first in beginnings(design.n_features):
            search = Relevance(weighted_columns, total - 1)
            ends.append((search, *ascend(search, self.tol, self._most, first)))
        # the highest evidence that is a maximum
        search, gain, moves = max(ends, key=lambda e: (e[1] <= self.tol, e[0].log_evidence()))
        noisy = search.error > 0 and total > 1
        beta = (total - 1) / search.error if noisy else np.inf
        active = search.active
        scale = weighted_columns.scale[active]
        w, centre = search.mu * scale, means[active] + weighted_columns.mean[active]
        self.noise_precision_ = beta
        self.intercept_ = middle - float(centre @ w)
        self.n_effective_ = float(len(active) - search.rho @ search.sigma.diagonal())
        self.log_evidence_ = search.log_evidence()
        sigma = search.sigma * np.outer(scale, scale) / beta
        root = _root(sigma, centre, 1 / (beta * total))
        self._keep(X, kept, active, search.rho * beta / scale**2, root)
        if self.kernel is None:
            self.coef_ = np.zeros(X.shape[1])
            self.coef_[active] = w
        else:
            self.dual_coef_ = w
        status, reason = self._stopped(gain, moves)
        objective: float | None = -self.log_evidence_
        if not search.total > 0:
            status, reason = "converged", "y is constant, which leaves no noise to estimate."
        elif search.is_noiseless:
            status, reason = "rank_deficient", NO_NOISE
        if not np.isfinite(self.log_evidence_):
            objective, gain = None, 0.0
        return self._record(
            status,
            reason,
            objective=objective,
            certificate=gain,
            certificate_kind="evidence_gain",
            n_iter=moves,
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
        w = self.coef_[self._active] if self.kernel is None else self.dual_coef_
        mean = self._combined(X, w[None])[:, 0] + self.intercept_
        if not return_std:
            return mean
        return mean, np.hypot(self._deviations(X), np.sqrt(1 / self.noise_precision_))


def _root(sigma: Array, centre: Array, variance: float) -> Array:
    """R with RRᵀ the covariance of the weights and of the intercept, u − x̄·w with its own variance."""
    values, V = np.linalg.eigh(sigma)
    half = V * np.sqrt(np.maximum(values, 0))
    m = len(centre)
    root = np.zeros((m + 1, m + 1))
    root[:m, :m] = half
    root[m, :m] = -centre @ half
    root[m, m] = np.sqrt(variance)
    return root
