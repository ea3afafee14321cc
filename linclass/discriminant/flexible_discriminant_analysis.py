"""Flexible discriminant analysis: linear discriminant analysis by optimal scoring, with any regression,

    min_{θ_l, f_l} (1/Σw) Σ_i w_i (θ_l(y_i) − f_l(x_i))²,   Σ_k p_k θ_l(k) = 0,   Σ_k p_k θ_l(k) θ_m(k) = 1[l = m],
    u_l(x) = f_l(x) / √(α_l² (1 − α_l²)),   z_k = −½ ‖u(x) − ū_k‖² + ln π_k,

with scores θ of the classes, of which p_k are the shares of the rows, 1 − α_l² the minimum, and ū_k the class means of
the coordinates u. The minimum takes one regression for each of K − 1 fixed scores and the eigenvectors of θᵀf/Σw. With
linear regression z is that of linear discriminant analysis; the regression of features that are mapped (`quadratic`,
splines, kernels) gives curved boundaries, and with ridge regression it is penalized discriminant analysis: Σ + λI takes
the place of the covariance Σ within the classes.

Predicts: log-odds and probabilities, linear in x if the regression is; discriminant coordinates.
Cost: K − 1 regressions, of O(n d min(n, d)) if they are linear.
Certificate: that of the regressions, the largest.
Reference: Hastie, Tibshirani & Buja (1994), JASA 89 and (1995), Ann. Statist. 23; Hastie et al. (2009), §12.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from linclass.base.arrays import Array, ArrayLike, ClassWeight, EstimatorLike, MatrixLike
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.linear_scores import Coordinates, products
from linclass.base.messages import counted
from linclass.base.meta_estimator import (
    WORST_LAST,
    MetaEstimator,
    caller_rows,
    fit_inside,
    known_status,
    require_base,
    with_messages,
)
from linclass.base.parameters import require_whole
from linclass.base.predicted import own_copy
from linclass.discriminant.covariance import check_ddof, too_little_weight
from linclass.discriminant.from_statistics import (
    Priors,
    check_priors,
    class_priors,
    difference_of_two,
    log_priors,
)

NEGLIGIBLE_CORRELATION = 1e-13  # α², a coordinate that no score of the classes depends on
PERFECT_CORRELATION = 1e-10  # 1 − α², a coordinate without spread within the classes


class FlexibleDiscriminantAnalysis(MetaEstimator, Coordinates, SoftmaxProbabilities):
    """Parameters
    ----------
    regressor : regressor or None, default=None
        Regression with `fit` and `predict`, from linclass or elsewhere, such as Ridge(strength=0.1). It
        is copied for each of K − 1 fits. None is LinearRegression(). Predictions that are not linear in the
        targets, as of the lasso, partial least squares or trees, depend on the order of three or more classes.
    n_components : int or None, default=None
        Number of coordinates, at least 1. None takes all, at most K − 1.
    ddof : {0, 1}, default=1
        Degrees of freedom of each class mean: the divisor of the scatter within the classes is N − ddof · K.

    Attributes
    ----------
    regressors_ : list of regressors
        The K − 1 fitted regressions.
    scalings_ : array of shape (K − 1, q)
        Coordinates u as linear combinations of the K − 1 predictions, as columns.
    centre_ : array of shape (K − 1,)
        Mean of the predictions, the origin of the coordinates; 0 for linear regression.
    explained_ : array of shape (q,)
        The shares α_l² of the variance of the optimal scores that the regressions explain, decreasing.
    scores_ : array of shape (K, q)
        Optimal scores θ_l(k) of the classes, as columns.
    means_ : array of shape (K, q)
        Class means ū_k of the coordinates.
    priors_
    coef_ : array of shape (1, d) or (K, d), only if the regression is linear
        Weights, one row per score.
    intercept_ : array of shape (1,) or (K,), only if the regression is linear
        Intercepts.
    """

    simpler: ClassVar[Mapping[str, int]] = {"n_components": -1}
    default: ClassVar[str] = "linclass.linear.linear_regression.LinearRegression"
    base_parameter: ClassVar[str] = "regressor"

    def __init__(
        self,
        regressor: EstimatorLike = None,
        *,
        n_components: int | None = None,
        priors: Priors = None,
        ddof: int = 1,
        class_weight: ClassWeight = None,
    ):
        self.regressor = regressor
        self.n_components = n_components
        self.priors = priors
        self.ddof = ddof
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        require_base(
            self._inner(), "regressor", ("fit", "predict"), "LinearRegression()", "regressor"
        )
        require_whole("n_components", self.n_components, 1, or_none=True)
        check_priors(self.priors)
        check_ddof(self.ddof)

    @property
    def _counts_rows(self) -> bool:
        return self.ddof > 0

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the regressions of the scores of the classes, and the coordinates.

        Parameters
        ----------
        y : array of shape (n,)
            Class of each row: integers, booleans or strings, at least two classes.
        """
        X, codes, weights, given = self._start_inside(X, y, sample_weight, groups)
        mass = np.bincount(codes, weights)
        freedom = mass.sum() - self.ddof * len(mass)
        if freedom <= 0:
            raise too_little_weight(mass.sum())
        share = mass / mass.sum()
        fixed = contrasts(share)
        self.regressors_, messages = [], []
        for theta in fixed[codes].T:
            inner = clone(self._inner(), safe=False)
            fitted, said = with_messages(partial(fit_inside, inner, X, theta.copy(), given))
            self.regressors_.append(fitted)
            messages.append(said)
        self.priors_ = class_priors(self.priors, mass)
        indicators = weights * (np.arange(len(mass))[:, None] == codes)
        means = indicators @ self._basis(X) / mass[:, None]  # of the predictions, in each class
        explained, V = best_explained(fixed, means, share, self.n_components)
        left = np.maximum(1 - explained, PERFECT_CORRELATION)
        shrunk = freedom / mass.sum()  # from the covariance over N
        self.explained_, self.scores_ = explained, fixed @ V
        self.scalings_ = V * np.sqrt(shrunk / (explained * left))
        self.centre_ = mass @ means / mass.sum()
        self.means_ = (means - self.centre_) @ self.scalings_
        return self._record_regressions(int((1 - explained < PERFECT_CORRELATION).sum()), messages)

    def _inner_problems(
        self, X: MatrixLike, y: ArrayLike
    ) -> Iterator[tuple[EstimatorLike, Any, Array]]:
        """(regressor inside, its rows, its targets) of each regression."""
        X, codes, weights, _ = self._unfitted()._start_inside(X, y)
        X, share = caller_rows(X), np.bincount(codes, weights) / weights.sum()
        yield from ((self._inner(), X, theta) for theta in contrasts(share)[codes].T)

    def decision_function(self, X: MatrixLike) -> Array:
        rows = products(self._basis(self._check_rows(X)), self.scalings_.T)
        return difference_of_two(products(rows, self.means_) + self._constants())

    @property
    def coef_(self) -> Array:
        """Weights, one row per score, if the regression is linear."""
        return self._scores_from(np.vstack([np.ravel(r.coef_) for r in self.regressors_]))

    @property
    def intercept_(self) -> Array:
        """Intercepts, if the regression is linear."""
        b = np.array([np.ravel(r.intercept_)[0] for r in self.regressors_], dtype=float)
        offsets = self._constants()
        return self._scores_from(b) + (np.diff(offsets) if len(offsets) == 2 else offsets)

    def _scores_from(self, values: Array) -> Array:
        """`values` (K − 1, …) of the predictions, combined to those of each score."""
        W = self.means_ @ self.scalings_.T @ values
        return W[1:] - W[:1] if len(W) == 2 else W

    def _constants(self) -> Array:
        at_centre = self.means_ @ (self.centre_ @ self.scalings_)
        return log_priors(self.priors_) - 0.5 * (self.means_**2).sum(axis=1) - at_centre

    def _basis(self, X: MatrixLike) -> Array:
        """Predictions (n, K − 1) of the fixed scores."""
        return np.column_stack([np.ravel(r.predict(own_copy(X, r))) for r in self.regressors_])

    def _record_regressions(self, exact: int, messages: list[list[str]]) -> Self:
        """Status of the worst regression; a certificate only if each has one of the same kind."""
        statuses = [
            known_status(r, "max_iter" if said else "converged")
            for r, said in zip(self.regressors_, messages, strict=True)
        ]
        worst = max(range(len(statuses)), key=lambda i: WORST_LAST.index(statuses[i]))
        status = statuses[worst]
        said = next(iter(messages[worst]), "")
        reason = "" if status == "converged" else getattr(self.regressors_[worst], "reason_", said)
        if exact and status == "converged":
            status = "rank_deficient"
            reason = (
                f"the regression predicts the classes exactly along {exact} of "
                f"{counted(len(self.explained_), 'coordinate')}, "
                "which have no spread within the classes then; use Ridge(), or a stronger penalty."
            )
        kinds = {getattr(r, "certificate_kind_", None) for r in self.regressors_}
        one = kinds.pop() if len(kinds) == 1 else None
        each = (getattr(r, "certificate_", None) for r in self.regressors_)
        measured = [certificate for certificate in each if certificate is not None]
        return self._record(
            status,
            reason,
            certificate=max(measured, default=None) if one else None,
            certificate_kind=one,
            n_iter=int(max(np.max(getattr(r, "n_iter_", 0) or 0) for r in self.regressors_)),
        )


# Optimal scores of the classes: given the class means of regressions on fixed scores, the combinations of these scores
# that regressions explain best.   Hastie, Tibshirani & Buja (1994), JASA 89


def contrasts(share: Array) -> Array:
    """Scores θ (K, K − 1) of classes with these shares p: Σ_k p_k θ_l(k) = 0, Σ_k p_k θ_l(k) θ_m(k) = 1[l = m].

    √p θ are the columns but the first of the reflection that takes the first axis to −√p.
    """
    root = np.sqrt(share)
    v = root.copy()
    v[0] += 1
    reflection = np.eye(len(v)) - np.outer(v, v) / v[0]
    return reflection[:, 1:] / root[:, None]


def best_explained(
    fixed: Array, means: Array, share: Array, most: int | None
) -> tuple[Array, Array]:
    """(α², V): shares of variance, decreasing, and the combinations of the fixed scores that have them, columns of V.

    `means` (K, K − 1) are those of the predictions of the fixed scores in each class. Every direction points from the
    first class to the last.
    """
    products = fixed.T @ (means * share[:, None])
    explained, V = np.linalg.eigh((products + products.T) / 2)
    order = np.argsort(-explained)
    order = order[explained[order] > NEGLIGIBLE_CORRELATION]
    explained, V = explained[order][:most], _settled(explained[order], V[:, order])[:, :most]
    return explained, V * np.where(V.T @ (means[-1] - means[0]) < 0, -1.0, 1.0)


def _settled(explained: Array, V: Array) -> Array:
    """Fixed axes for coordinates without spread, which rounding would choose otherwise."""
    exact = 1 - explained < PERFECT_CORRELATION
    own = V[:, exact]
    _, axes = np.linalg.eigh(own.T * np.arange(len(V)) @ own)
    return np.column_stack([own @ axes, V[:, ~exact]])
