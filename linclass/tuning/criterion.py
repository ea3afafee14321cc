"""Akaike's and the Bayesian information criterion of penalized fits, smaller is better:

    AIC = −2 ln L + 2 df,   BIC = −2 ln L + ln(n) df,

with the likelihood L of the fit, its effective degrees of freedom df and n = Σw rows. A kernel machine is linear in the
features of its kernel, and ordinal regression has its own Hessian. For the squared loss
−2 ln L = n ln(2πσ²) + RSS/σ²; a noise variance σ² that is not given is RSS/n, that of largest likelihood.
AIC estimates the prediction error, BIC estimates which model is true.
Akaike (1974), IEEE Trans. Automatic Control 19; Schwarz (1978), Ann. Statist. 6; Hastie, Tibshirani & Friedman (2009),
§7.5 and §7.7
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array, EstimatorLike, MatrixLike
from linclass.base.messages import NotApplicable, require_memory
from linclass.base.meta_estimator import Given
from linclass.base.numerics import is_regular
from linclass.linear.linear_model import loss_of
from linclass.linear.objective.objective import Objective, common_shift
from linclass.linear.penalties.entrywise import Unpenalized

CRITERIA: tuple[str, ...] = ("aic", "bic")
TINY = np.finfo(float).tiny


def check_likelihood(estimator: EstimatorLike, rule: str) -> None:
    """Raise ValueError unless fits of the estimator have a likelihood."""
    likely = hasattr(estimator, "_as_linear") or hasattr(estimator, "_curvatures_at_fit")
    if hasattr(estimator, "_objectives") and hasattr(estimator, "loss"):
        squares = estimator.loss == "squared" and not hasattr(estimator, "classes_from")
        likely = squares or loss_of(estimator).probabilistic  # squares: of a regression
    if not likely:
        raise ValueError(
            f"rule is {rule!r}, which needs a likelihood: logistic, probit, ordinal or kernel logistic "
            f"regression, or regression with the squared loss; {estimator!r} has none. Use rule='best'."
        )


def information(
    fits: Sequence[Any],
    X: MatrixLike,
    y: Array,
    given: Given,
    rule: str,
    noise_variance: float | None = None,
) -> tuple[Array, Array]:
    """(criterion, degrees of freedom) of each fit to these rows."""
    found = []
    for fit in fits:
        check_likelihood(fit, rule)  # a grid may hold losses without one
        deviance, df, n = _judged(fit, X, y, given, rule, noise_variance)
        price = 2.0 if rule == "aic" else float(np.log(n))
        found.append((deviance + price * df, df))
    criterion, df_of_fits = np.array(found).T
    return criterion, df_of_fits


def _judged(
    fit: Any, X: MatrixLike, y: Array, given: Given, rule: str, noise_variance: float | None
) -> tuple[float, float, float]:
    """(−2 ln L, degrees of freedom, n)."""
    if hasattr(fit, "_curvatures_at_fit"):
        loss, H, M, n = fit._curvatures_at_fit(X, y, given.weights)
        return 2 * n * loss, trace_of_ratio(H, M), n
    weights = given.weights
    if hasattr(fit, "_as_linear"):
        fit, X, y, weights = fit._as_linear(X, y, weights)
    rows, target, w = fit._unfitted()._start_fit(X, y, weights)
    objective, *more = fit._objectives(rows, target, w)
    if more:
        raise NotApplicable(
            f"rule is {rule!r}, and one class against the rest has no common likelihood; use rule='best'."
        )
    theta, n = _theta(fit, objective), float(w.sum())
    return _deviance(objective, theta, n, noise_variance), degrees_of_freedom(objective, theta), n


def _deviance(objective: Objective, theta: Array, n: float, noise_variance: float | None) -> float:
    """−2 ln L."""
    loss = objective.at(theta).loss_value
    if not objective.loss.quadratic:
        return 2 * n * loss
    square = 2 * loss  # RSS/n
    variance = max(square, TINY) if noise_variance is None else noise_variance
    return n * (float(np.log(2 * np.pi * variance)) + square / variance)


def _theta(fit: EstimatorLike, objective: Objective) -> Array:
    """The parameters of a fit, as its objective has them."""
    W, b = np.atleast_2d(fit.coef_), np.atleast_1d(fit.intercept_)[:, None]
    theta = np.hstack([W, b]) if objective.design.width > W.shape[1] else W
    if len(objective.shape) == 1:
        return np.asarray(theta[0])
    return theta if len(theta) == objective.shape[0] else theta[:-1] - theta[-1]


# Effective degrees of freedom of a penalized fit: how many parameters it is worth.
#
#     df = tr (H + λD)⁻¹ H   over the intercept and the weights that are not 0,
#
# with the Hessian H of the loss and the curvature λD of the penalty, which is 0 at the intercept. For the squared loss
# and L2 it is the trace of the hat matrix, for other losses that of the weighted least squares problem of the last
# Newton step. With L1 alone D = 0, and df is the number of nonzero weights (the rank of their columns) and the
# intercept; the group lasso bends where a group is not 0, and of the fused lasso df is the number of pieces that are
# not 0. For the squared loss df is Σ ∂ŷ_i/∂y_i, whose mean is the degrees of freedom exactly, Σ cov(ŷ_i, y_i)/σ².
# Zou, Hastie & Tibshirani (2007), Ann. Statist. 35; Tibshirani & Taylor (2012), Ann. Statist. 40, on the elastic net;
# Vaiter et al. (2017), Ann. Inst. Stat. Math. 69, on the group lasso; Hastie & Tibshirani (1990), Generalized Additive
# Models, §6.8

RANK_TOLERANCE = 1e-12  # eigenvalues below it, in units of the largest, are 0


def degrees_of_freedom(objective: Objective, theta: Array) -> float:
    """Effective degrees of freedom at the optimum `theta` of a penalized objective."""
    penalty, strength, W = objective.penalty, objective.strength, objective.weight_part(theta)
    kept, pieces = np.ones(objective.shape, dtype=bool), penalty.pieces(W)
    if objective.kinked:
        objective.weight_part(kept)[...] = W != 0
        if not kept.any():
            return 0.0
        own = np.asarray(np.atleast_2d(kept).any(axis=0))
        features = np.flatnonzero(own[: objective.design.n_features])
        penalty = penalty.on(features) if pieces is None else penalty
        objective = objective.with_penalty(Unpenalized(), 0.0).on_features(features)
        theta, kept = theta[..., own], kept[..., own]
    which, p = kept.ravel(), kept.size
    require_memory(48 * p * p, f"effective degrees of freedom need a dense {p} × {p} Hessian")
    H = objective.with_strength(0).at(theta).hessian[np.ix_(which, which)]
    weights = objective.weight_part(np.arange(p).reshape(objective.shape))
    if pieces is not None:
        alike = np.arange(p) + W.size + 1  # intercepts move alone
        alike[weights[kept[..., : weights.shape[-1]]]] = pieces[W != 0]
        move = np.unique(alike[which]) == alike[which][:, None]
        H = move.T @ H @ move
        return trace_of_ratio(H, H)
    D = np.zeros((p, p))
    if weights.size:
        D[np.ix_(weights.ravel(), weights.ravel())] = strength * penalty.hessian(
            objective.weight_part(theta)
        )
    M = H + D[np.ix_(which, which)]
    if objective.loss.shift_invariant and objective.design.intercept:
        b = np.flatnonzero((np.arange(p) % kept.shape[-1] == kept.shape[-1] - 1)[which])
        M[np.ix_(b, b)] += common_shift(M[np.ix_(b, b)])  # in whose direction H is 0
    return trace_of_ratio(H, M)


def trace_of_ratio(H: Array, M: Array) -> float:
    """tr M⁻¹H, over the directions in which M is not 0."""
    factor, info = lapack.dpotrf(M, lower=1)
    if not info and is_regular(factor, M):
        half = np.tril(lapack.dpotri(factor, lower=1)[0])  # of M⁻¹
        return float(2 * np.vdot(half, H) - half.diagonal() @ H.diagonal())
    scale = np.sqrt(np.where(np.diag(M) > 0, np.diag(M), 1))  # the trace does not depend on units
    values, V = np.linalg.eigh(M / np.outer(scale, scale))
    V = V[:, values > RANK_TOLERANCE * values[-1]]
    values = values[values > RANK_TOLERANCE * values[-1]]
    return float((np.einsum("ij,ij->j", V, (H / np.outer(scale, scale)) @ V) / values).sum())
