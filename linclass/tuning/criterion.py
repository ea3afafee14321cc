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

from linclass.base.arrays import Array, EstimatorLike, MatrixLike
from linclass.base.messages import NotApplicable
from linclass.base.meta_estimator import Given
from linclass.base.offsets import offset_inside
from linclass.linear.composition import loss_of
from linclass.linear.objective.objective import Objective
from linclass.tuning.degrees_of_freedom import degrees_of_freedom, trace_of_ratio

CRITERIA = ("aic", "bic")
TINY = np.finfo(float).tiny


def check_likelihood(estimator: EstimatorLike, rule: str) -> None:
    """Raise ValueError unless fits of the estimator have a likelihood."""
    likely = hasattr(estimator, "_as_linear") or hasattr(estimator, "_curvatures_at_fit")
    if hasattr(estimator, "_objectives") and hasattr(estimator, "loss"):
        likely = loss_of(estimator).probabilistic or _is_regression(estimator)
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
    fit: Any,
    X: MatrixLike,
    y: Array,
    given: Given,
    rule: str,
    noise_variance: float | None,
) -> tuple[float, float, float]:
    """(−2 ln L, degrees of freedom, n)."""
    if hasattr(fit, "_curvatures_at_fit"):
        loss, H, M, n = fit._curvatures_at_fit(X, y, given.weights, given.offset)
        return 2 * n * loss, trace_of_ratio(H, M), n
    weights = given.weights
    if hasattr(fit, "_as_linear"):
        fit, X, y, weights = fit._as_linear(X, y, weights, given.offset)
    rows, target, w = fit._unfitted()._start_fit(X, y, weights)
    known = offset_inside(fit, given.offset, None, y)
    objective, *more = fit._objectives(rows, target, w, **known)
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


def _is_regression(estimator: EstimatorLike) -> bool:
    return estimator.loss == "squared" and not hasattr(estimator, "classes_from")
