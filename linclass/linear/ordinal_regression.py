"""Ordinal logistic regression (proportional odds), for ordered classes 0 < 1 < … < K − 1:

    P(y ≤ k | x) = σ(θ_k − w·x),   θ_0 < … < θ_{K−2},   σ the logistic function,

by (penalized) maximum likelihood:  (1/Σω_i) Σ ω_i (−ln P(y_i | x_i)) + strength · ½‖w‖². All boundaries are parallel:
the odds of being above k are a constant times those of being above l. With a = θ_y − w·x and b = θ_{y−1} − w·x the loss
of a row is

    −ln (σ(a) − σ(b)) = ln(1 + e^{−a}) + ln(1 + e^{b}) − ln(1 − e^{b−a}),

two logistic losses and a convex function of the gap θ_y − θ_{y−1}, so Newton's method finds the unique minimum. With
two classes it is logistic regression.

Predicts: log-odds for two classes, log-probabilities for more, and probabilities.
Cost: O(n p² + p³) per Newton step, p = d + K − 1.
Certificate: gradient norm.
Reference: McCullagh (1980), JRSS B 42; Burridge (1981), JRSS B 43, on concavity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy import sparse
from scipy.special import expit, log_expit

from linclass.base.arrays import (
    SMALLEST,
    Array,
    ArrayLike,
    ClassWeight,
    Matrix,
    MatrixLike,
    PerRow,
    diagonal,
)
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_scores import products
from linclass.base.many_fits import COUNT
from linclass.base.messages import NotApplicable, counted, require_memory
from linclass.base.meta_estimator import class_order
from linclass.base.numerics import Inverse, damped_newton
from linclass.base.parameters import is_list, require_nonnegative, require_positive, require_whole
from linclass.linear.objective.coordinates import LEAST_DEVIATION as DIGITS
from linclass.linear.objective.coordinates import about_mean
from linclass.linear.offsets import ProbabilitiesWithOffset, offsets_of, row_offsets
from linclass.linear.path import downwards, explaining
from linclass.linear.recession import UNDECIDED, Recession, solve_inequalities

CERTAIN = 5.0  # where slopes are below 1 %, a fit may be on its way to infinity
MAX_STEPS = 100  # of Newton's method


class OrdinalRegression(ProbabilitiesWithOffset):
    """Parameters
    ----------
    strength : float, default=1e-3
        Factor of the penalty ½‖w‖² in the objective above, at least 0. 0 is maximum likelihood.
    order : list of K classes or None, default=None
        The classes from the lowest to the highest. None is the order of the categories where y is an ordered
        categorical of pandas or an Enum of Polars, and else the sorted order, with a warning if more than two
        classes are strings. Meta-estimators of scikit-learn that recode the classes, such as BaggingClassifier, lose
        the order of a categorical; encode the classes as integers in their order for them.
    max_iter : int or None, default=None
        Limit on the number of Newton steps. None is 100.

    Attributes
    ----------
    order_ : array of shape (K,)
        The classes in their order.
    coef_ : array of shape (1, d)
        Weights w.
    thresholds_ : array of shape (K − 1,)
        Thresholds θ, increasing.
    separating_direction_ : array of shape (d,), only with status_ 'separable'
        Direction of w along which the likelihood has no maximum.
    separating_thresholds_ : array of shape (K − 1,), only with status_ 'separable'
        Thresholds of that direction.
    """

    paths: ClassVar[tuple[str, ...]] = ("strength",)  # parameters with `_path_values`
    poor_score = True  # where the classes have no order
    orders_classes: ClassVar[bool] = True

    def __init__(
        self,
        *,
        strength: float = 1e-3,
        order: Sequence[Any] | None = None,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
    ):
        self.strength = strength
        self.order = order
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def check(self) -> None:
        super().check()
        require_nonnegative("strength", self.strength)
        require_positive("tol", self.tol)
        require_whole("max_iter", self.max_iter, 1, or_none=True)
        if self.order is not None and not (
            is_list(self.order) and np.asarray(self.order).ndim == 1
        ):
            raise ValueError(f"order is {self.order!r}; it must be a list of the classes, or None.")

    def _offsets(self, offset: PerRow, sample_weight: PerRow, y: ArrayLike) -> Array | None:
        """Offsets of x·w, one per row with positive weight; None without offsets."""
        return None if offset is None else offsets_of(offset, sample_weight, y, 2)

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, offset: PerRow = None
    ) -> Self:
        """Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        offset : array of shape (n,) or None, default=None
            Known part of x·w, for any number of classes. None is 0.
        """
        problem = self._problem(X, y, sample_weight, offset, self.strength)
        d, size = problem.d, problem.d + problem.K - 1
        require_memory(24 * size * size, f"OrdinalRegression needs a dense {size} × {size} Hessian")
        phi, point, n_iter = damped_newton(
            problem.at,
            problem.start(),
            lambda point: -Inverse(point.hessian).times(point.gradient),
            self.tol,
            self.max_iter or MAX_STEPS,
            lambda phi: not self.strength and problem.margins(phi).min() > 0,  # has no maximum
        )
        theta = problem.uncentred(phi)
        self.coef_, self.thresholds_ = theta[None, :d].copy(), theta[d:].copy()
        self._forget("separating_direction_", "separating_thresholds_")
        status, reason = "converged", ""
        if point.residual > self.tol:
            status = "max_iter"
            left = f"a gradient_norm of {point.residual:.1e}"
            reason = f"{counted(n_iter, 'Newton step')} left {left}; tol is {self.tol:g}."
        elif (rank := Inverse(point.hessian).rank) is not None:
            status = "rank_deficient"
            reason = f"features are linearly dependent (rank {rank} of {size})."
        recession = Recession() if self.strength else problem.recession(phi)
        if not recession.decided:
            status, reason = "max_iter", UNDECIDED
        if (away := recession.direction) is not None:
            self.separating_direction_, self.separating_thresholds_ = away[:d], away[d:]
            status = "separable"
            reason = (
                "the classes can be separated in their order, so the likelihood has no maximum: it increases "
                "along a separating direction; use a strength above 0."
            )
        return self._record(
            status,
            reason,
            objective=point.value,
            certificate=point.residual,
            certificate_kind="gradient_norm",
            n_iter=n_iter,
        )

    def _problem(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow, offset: PerRow, strength: float
    ) -> CumulativeLikelihood:
        """The likelihood of checked rows; sets the order of the classes."""
        X, codes, weights = self._start_fit(X, y, sample_weight)
        offset = self._offsets(offset, sample_weight, y)
        self.order_ = self._ordered(y)
        order = self.order_.tolist()
        rank = np.array([order.index(c) for c in self.classes_.tolist()])
        return CumulativeLikelihood(X, rank[codes], weights, strength, offset)

    def strength_path(
        self,
        X: MatrixLike,
        y: ArrayLike,
        n: int = COUNT,
        decades: float | None = None,
        sample_weight: PerRow = None,
        offset: PerRow = None,
    ) -> Array:
        """Strengths in equal ratios, from ‖G‖²/(ε L₀) on (linclass/linear/path.py), of the fit of the thresholds.

        Parameters
        ----------
        n : int, default=31
            Number of strengths, at least 2.
        decades : float or None, default=None
            Powers of ten between the strongest and the weakest. None is 7.
        offset : array of shape (n,) or None, default=None
            Known part of x·w. None is 0.

        Returns
        -------
        array of shape (n,)
            Strengths, the strongest first.
        """
        problem = self._unfitted(strength=1.0)._problem(X, y, sample_weight, offset, 0.0)
        point = problem.at(problem.start())
        square = float(np.square(point.gradient[: problem.d]).sum())
        return downwards(explaining(square, point.value), False, n, decades)

    def _path_values(self, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
        """The strengths that a study tunes over with `path`."""
        return self.strength_path(X, y)

    def decision_function(self, X: MatrixLike, offset: PerRow = None) -> Array:
        """Log-odds of two classes; for more the log-probability of each class.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,) or None, default=None
            Known part of x·w. None is 0.

        Returns
        -------
        array of shape (n,) for two classes, (n, K) for more
        """
        X = self._check_rows(X)
        eta = products(X, self.coef_)[:, 0]
        if offset is not None:
            eta += row_offsets(offset, eta.shape)
        if len(self.classes_) == 2:
            z = eta - self.thresholds_[0]
            return z if self.order_[1] == self.classes_[1] else -z
        a = np.append(self.thresholds_, np.inf) - eta[:, None]
        b = np.append(-np.inf, self.thresholds_) - eta[:, None]
        gap = np.full(a.shape[1], np.inf)
        gap[1:-1] = np.diff(self.thresholds_)
        Z = log_expit(a) + log_expit(-b) + np.log(-np.expm1(-gap))
        return Z[:, np.argsort(self.order_)]

    def _curvatures_at_fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow
    ) -> tuple[float, Array, Array, float]:
        """(mean of −ln P, its Hessian, that of the objective, Σw) on the training rows, for AIC and BIC."""
        strength, w = float(self.strength), self.coef_[0]
        problem = self._unfitted()._problem(X, y, sample_weight, None, strength)
        point = problem.at(np.append(w, self.thresholds_ - w @ problem.mean))
        H = point.hessian.copy()
        H[: len(w), : len(w)] -= strength * np.eye(len(w))
        return point.value - 0.5 * strength * float(w @ w), H, point.hessian, problem.total

    def _ordered(self, y: ArrayLike) -> Array:
        """The classes of the training rows in their order."""
        known = self.classes_.tolist()
        order = class_order(y, self.classes_) if self.order is None else list(self.order)
        if twice := [c for c in order if order.count(c) > 1]:
            raise ValueError(
                f"order is {order}, which has {twice[0]!r} more than once; list it once."
            )
        if strange := [c for c in known if c not in order]:
            raise ValueError(f"order is {order}, which lacks the class {strange[0]!r}; add it.")
        order = [c for c in order if c in known]  # a fold may lack a class
        return np.array(order, dtype=self.classes_.dtype)


class CumulativePoint(NamedTuple):
    """The objective at (w, θ), and the largest cosine between the slopes and a feature or a threshold."""

    value: float
    gradient: Array
    hessian: Array
    residual: float


class CumulativeLikelihood:
    """Minus the penalized log-likelihood, with derivatives, certificate and directions in which it has no minimum, in
    φ = (w, θ − w·x̄), of rows of rank y = 0 … K − 1.

    Dense rows are centred, so that nothing depends on their offset; sparse ones are not, as that fills them in.
    """

    def __init__(
        self, X: Matrix, y: Array, weights: Array, strength: float, offset: Array | None = None
    ):
        self.total = float(weights.sum())
        weights = weights / weights.sum()
        self.X, self.y, self.weights = X, y, weights
        self.mean = np.zeros(X.shape[1])
        if not sparse.issparse(X):
            X, self.mean = about_mean(X, weights)
        self.design = DesignMatrix(X, intercept=False)
        self.offset = 0.0 if offset is None else offset
        self.strength, self.mass = strength, np.bincount(y, weights)
        self.K, self.d = len(self.mass), X.shape[1]
        self.feature_means = self.design.pull(weights)
        length = self.design.column_norms(weights)
        variance = np.maximum(length**2 - self.feature_means**2, (DIGITS * length) ** 2)
        self.norms = np.append(np.sqrt(variance), np.ones(self.K - 1))

    def start(self) -> Array:
        """Thresholds at the logits of the cumulative shares of the classes."""
        below, above = np.cumsum(self.mass)[:-1], np.cumsum(self.mass[::-1])[-2::-1]
        thresholds = np.log(below / above)
        if not (np.diff(thresholds) > 0).all():
            share = self.mass[1 + np.argmin(np.diff(thresholds))]
            raise NotApplicable(
                f"a middle class has {share:.1g} of the total weight, too little to separate its two thresholds; "
                "leave its rows out, or raise their weights."
            )
        return np.append(np.zeros(self.d), thresholds)

    def uncentred(self, phi: Array) -> Array:
        """(w, θ)."""
        return np.append(phi[: self.d], phi[self.d :] + phi[: self.d] @ self.mean)

    def at(self, phi: Array) -> CumulativePoint:
        w, theta, d, K = phi[: self.d], phi[self.d :], self.d, self.K
        gaps = np.diff(theta)
        eta = self.design.scores(w) + self.offset
        a = np.append(theta, np.inf)[self.y] - eta
        b = np.append(-np.inf, theta)[self.y] - eta
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            between = -np.log(-np.expm1(-gaps)) if (gaps > 0).all() else np.full(K - 2, np.inf)
        value = -self.weights @ (log_expit(a) + log_expit(-b)) + self.mass[1:-1] @ between
        value += 0.5 * self.strength * w @ w
        up, down = self.weights * expit(-a), self.weights * expit(b)
        curve_up, curve_down = up * expit(a), down * expit(-b)
        g = np.empty(d + K - 1)
        g[:d] = self.design.pull(up - down) + self.strength * w
        g[d:] = self._by_threshold(down, 1) - self._by_threshold(up, 0)
        H = np.zeros((d + K - 1, d + K - 1))
        H[:d, :d] = self.design.gram(curve_up + curve_down)
        diagonal(H[:d, :d])[...] += self.strength
        for k in range(K - 1):
            at = np.where(self.y == k, curve_up, 0) + np.where(self.y == k + 1, curve_down, 0)
            H[:d, d + k] = H[d + k, :d] = -self.design.pull(at)
        theta_part = H[d:, d:]
        theta_part.flat[::K] = self._by_threshold(curve_up, 0) + self._by_threshold(curve_down, 1)
        if (gaps > 0).all():
            with np.errstate(over="ignore"):
                slope = self.mass[1:-1] / np.expm1(gaps)
                bend = slope / -np.expm1(-gaps)
            g[d + 1 :] -= slope
            g[d:-1] += slope
            at = np.arange(K - 2)
            theta_part[at, at] += bend
            theta_part[at + 1, at + 1] += bend
            theta_part[at, at + 1] -= bend
            theta_part[at + 1, at] -= bend
        return CumulativePoint(float(value), g, H, self._residual(g, up, down))

    def _by_threshold(self, values: Array, shift: int) -> Array:
        """Σ over the rows of rank k + shift, for each threshold k."""
        return np.bincount(self.y, values, self.K)[shift : self.K - 1 + shift]

    def _residual(self, g: Array, up: Array, down: Array) -> float:
        """The largest cosine, for the gradient and the weighted slopes."""
        g = g.copy()
        g[: self.d] += self.feature_means * g[self.d :].sum()  # for fixed θ − w·x̄
        slopes = np.concatenate([up, down])
        size = float(np.sqrt((slopes**2 / np.tile(self.weights, 2)).sum()))
        scale = self.norms * max(size, SMALLEST)
        return min(float((np.abs(g) / np.where(scale > 0, scale, 1)).max()), 1.0)

    def margins(self, phi: Array) -> Array:
        """Margin of each row to the thresholds beside its class."""
        eta, theta = self.design.scores(phi[: self.d]), phi[self.d :]
        below, above = self.y < self.K - 1, self.y > 0
        return np.concatenate(
            [theta[self.y[below]] - eta[below], eta[above] - theta[self.y[above] - 1]]
        )

    def recession(self, phi: Array) -> Recession:
        """A direction in which no row's loss increases, and some row's decreases without a minimum."""
        m = self.margins(phi)
        if np.abs(m).max() < CERTAIN and m.min() <= 0:
            return Recession()
        X, y = sparse.csr_array(self.X), self.y  # without the rounding of centred rows
        below, above = np.flatnonzero(y < self.K - 1), np.flatnonzero(y > 0)
        parts = [
            sparse.hstack([-X[below], self._indicators(y[below])]),
            sparse.hstack([X[above], -self._indicators(y[above] - 1)]),
        ]
        A = sparse.csr_array(sparse.vstack(parts))
        return solve_inequalities(A, self.uncentred(phi) if m.min() > 0 else None)

    def _indicators(self, k: Array) -> Matrix:
        parts = np.ones(len(k)), (np.arange(len(k)), k)
        return sparse.csr_array(parts, shape=(len(k), self.K - 1))
