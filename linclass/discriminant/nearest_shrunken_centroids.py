"""Nearest shrunken centroids: diagonal linear discriminant analysis with class means shrunk to the overall mean,

    d_kj = (m_kj − m_j) / (μ_k (s_j + s₀)),   d′_kj = sign(d_kj) (|d_kj| − Δ)₊,   m′_kj = m_j + μ_k (s_j + s₀) d′_kj,
    z_k = −½ Σ_j (x_j − m′_kj)² / (s_j + s₀)² + ln π_k,

with m_k and m the means of class k and of all rows, s_j the standard deviation of feature j within the classes (over
N − K), s₀ their median, and μ_k = √(1/n_k − 1/n), which makes d_kj a t statistic. A feature whose d′ are all 0 does not
enter the scores; the `threshold` Δ controls how many remain. Weights are frequency weights.

Predicts: log-odds, linear in x, and probabilities.
Cost: O(n d).
Certificate: closed form.
Reference: Tibshirani, Hastie, Narasimhan & Chu (2002), PNAS 99; Hastie, Tibshirani & Friedman (2009), §18.2.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple, Self

import numpy as np

from linclass.base.arrays import (
    Array,
    ArrayLike,
    ClassWeight,
    Matrix,
    MatrixLike,
    empty_arrays,
    soft_threshold,
)
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.linear_scores import LinearScores
from linclass.base.many_fits import COUNT, RegularizationPath
from linclass.base.messages import one_warning
from linclass.base.parameters import require_nonnegative, require_whole
from linclass.discriminant.class_moments import ClassMoments
from linclass.discriminant.covariance import degrees_of_freedom
from linclass.discriminant.from_statistics import (
    FromStatistics,
    Priors,
    check_priors,
    class_priors,
    log_priors,
)


class NearestShrunkenCentroids(FromStatistics, LinearScores, SoftmaxProbabilities):
    """Parameters
    ----------
    threshold : float, default=0.5
        Δ, at least 0, in units of the t statistics d_kj. 0 keeps all features.
    spread_offset : 'median' or float, default='median'
        s₀, added to the deviation of each feature, so that features with hardly any spread do not
        decide. 0 with threshold=0 is LinearDiscriminantAnalysis(covariance_type='diag').

    Attributes
    ----------
    coef_
    intercept_
    means_ : array of shape (K, d)
        Shrunken class means m′_k.
    deviations_ : array of shape (K, d)
        The shrunken t statistics d′_kj.
    selected_ : array of bool of shape (d,)
        Features that have a part in the scores.
    priors_
    """

    simpler: ClassVar[Mapping[str, int]] = {"threshold": 1}
    path_parameter: ClassVar[str] = "threshold"
    paths: ClassVar[tuple[str, ...]] = ("threshold",)  # parameters with `_path_values`
    _counts_rows = True

    def __init__(
        self,
        threshold: float = 0.5,
        spread_offset: float | str = "median",
        priors: Priors = None,
        class_weight: ClassWeight = None,
    ):
        self.threshold = threshold
        self.spread_offset = spread_offset
        self.priors = priors
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        check_priors(self.priors)
        require_nonnegative("threshold", self.threshold)
        if self.spread_offset != "median":
            require_nonnegative("spread_offset", self.spread_offset, ", or 'median'")

    @one_warning
    def path(
        self,
        X: MatrixLike,
        y: ArrayLike,
        thresholds: Sequence[float],
        sample_weight: ArrayLike | None = None,
    ) -> RegularizationPath:
        """The fits at several thresholds, from one pass over the rows.

        Parameters
        ----------
        thresholds : sequence of float
            Thresholds Δ, at least one, in any order.

        Returns
        -------
        RegularizationPath
            Fitted copies of this estimator, in the order of `thresholds`; its `strengths` are the
            thresholds. The estimator itself is not changed.
        """
        thresholds, first = list(thresholds), self._unfitted()
        if not thresholds:
            raise ValueError("thresholds is empty; give a list of at least one number.")
        for value in thresholds:
            require_nonnegative("threshold", value)
        first.set_params(threshold=thresholds[0])
        first._sum_rows(*first._start_fit(X, y, sample_weight))
        models = [copy.copy(first) for _ in thresholds]
        for model, value in zip(models, thresholds, strict=True):
            model.threshold = value
        return RegularizationPath(first._shrunken(first._counted(), models), "threshold")

    def threshold_path(
        self, X: MatrixLike, y: ArrayLike, n: int = COUNT, sample_weight: ArrayLike | None = None
    ) -> Array:
        """Thresholds in equal steps, from the largest |d_kj|, which leaves no feature, to 0, which keeps all.

        Parameters
        ----------
        n : int, default=31
            Number of thresholds, at least 2.

        Returns
        -------
        array of shape (n,)
            Thresholds, the largest first.
        """
        require_whole("n", n, 2)
        first = self._unfitted()
        first._sum_rows(*first._start_fit(X, y, sample_weight))
        most = np.abs(first._differences(first._counted()).t).max(initial=0)
        return np.linspace(most, 0, n)

    def _path_values(self, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
        """The values of the threshold that a study tunes over with `path`."""
        return self.threshold_path(X, y)

    def _form(self, X: Matrix, K: int) -> str:
        return "diagonal"

    def _set_estimates(self, statistics: ClassMoments) -> Self:
        return self._shrunken(statistics, [self])[0]

    def _shrunken(self, statistics: ClassMoments, models: list[Self]) -> list[Self]:
        """Learn models that differ in their threshold, all at once, from what thresholds share."""
        centre, deviation, effect, unit, differences, priors, intercepts = self._differences(
            statistics
        )
        K, d = differences.shape
        thresholds = np.array([float(model.threshold) for model in models])
        t, means, W = empty_arrays(d, *[(len(models), K)] * 3)
        soft_threshold(differences, thresholds[:, None, None], out=t)
        squares = effect * np.vecdot(t, t)  # of m′_k − m, in units of s + s₀
        known = deviation > 0  # else no spread to measure anything by: such features are left out
        np.multiply(unit / np.where(known, deviation**2, 1), t, out=W)
        b = intercepts - (0.5 * squares + W @ centre)
        np.multiply(unit, t, out=means)
        means += centre
        selected = np.abs(differences).max(axis=0) > thresholds[:, None]
        reason = ""
        if not known.all():
            j = int(np.argmin(known))
            name = list(getattr(self, "feature_names_in_", range(d)))[j]
            reason = (
                f"feature {name!r}, one of {np.count_nonzero(~known)}, has no spread within the classes "
                "and is left out; a spread_offset above 0 keeps it"
            )
        for model, *fit in zip(models, t, means, selected, W, b, strict=True):
            model.deviations_, model.means_, model.selected_, *scores = fit
            model.priors_ = priors.copy()
            model._set_scores(*scores)
            model._record("rank_deficient" if reason else "converged", reason)
        return models

    def _differences(self, statistics: ClassMoments) -> Differences:
        mass, centre = statistics.mass, statistics.centre
        deviation = np.sqrt(statistics.pooled / degrees_of_freedom(statistics, ddof=1))
        deviation[deviation <= statistics.negligible] = 0
        offset = self.spread_offset
        deviation += np.median(deviation) if offset == "median" else float(offset)
        with np.errstate(divide="ignore"):
            effect = np.where(mass > 0, 1 / mass - 1 / mass.sum(), 0)
        unit = np.sqrt(effect)[:, None] * deviation
        t = np.divide(statistics.means - centre, unit, out=np.zeros_like(unit), where=unit > 0)
        priors = class_priors(self.priors, mass)
        intercepts = log_priors(priors, mass)
        return Differences(centre, deviation, effect, unit, t, priors, intercepts)


class Differences(NamedTuple):
    """The t statistics of each class and feature, and their units, which all thresholds share."""

    centre: Array
    deviation: Array  # s + s₀
    effect: Array  # μ_k²
    unit: Array  # μ_k (s + s₀)
    t: Array
    priors: Array
    intercepts: Array  # before the part of the centroids
