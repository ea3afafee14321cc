"""Naive Bayes of exponential families:  z_k = ln π_k + Σ_blocks θ_kᵀT(x) − A(θ_k).

Blocks of columns are independent given the class, each with its own family. θ_k is determined by the
smoothed mean of T over the rows of class k, so the fit is a function of sums over the classes. If a mean
lies on the boundary of the family's mean space, the maximum-likelihood estimate is infinite: the mean is
moved just inside, and status_ is `rank_deficient`, with the feature and the class.
Hastie, Tibshirani & Friedman (2009), §6.6.3; Wainwright & Jordan (2008), §3
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Array, ClassWeight, Matrix, MatrixLike, Tags, chosen_rows
from linclass.base.classifier import OnlyIf, SoftmaxProbabilities
from linclass.base.linear_scores import MAX_SCORE, LinearScores, products
from linclass.base.messages import counted
from linclass.base.parameters import require_nonnegative
from linclass.discriminant.fold_sums import HeldOut
from linclass.discriminant.from_statistics import (
    FromStatistics,
    Priors,
    check_priors,
    class_priors,
    difference_of_two,
    log_priors,
)
from linclass.naive_bayes.class_sums import ClassSums, columns_of
from linclass.naive_bayes.families.base import Family

NEARER = 1e130  # size of rows whose scores do not overflow
SOLVED = 1e-7  # relative Newton step, after which the next would be its square


def _why_no_scores(model: NaiveBayes) -> str:
    """Models of positive rows have scores only after the fit.

    scikit-learn's suite compares scores with probabilities if an unfitted estimator has both, and fits negative rows
    to do so, in spite of the tag `positive_only`; scikit-learn's own such classifiers have no scores at all.
    """
    return "call fit first" if model.positive_only and not hasattr(model, "natural_") else ""


class NaiveBayes(FromStatistics):
    """A subclass sets `family`, or defines `_families`, the family of each block of columns and its smoothing.

    If it is a `LinearScores`, its only family has T(x) = x, so that θ_k are the coefficients of a linear classifier.

    Attributes
    ----------
    priors_ : array of shape (K,)
        Prior probabilities π_k.
    natural_ : list of arrays
        Natural parameters of each block of columns.
    families_ : list of Family
        Exponential family of each block of columns.
    class_count_ : array of shape (K,)
        Total weight of the rows of each class.
    class_log_prior_ : array of shape (K,)
        ln π_k.
    """

    family: ClassVar[type[Family]]
    positive_only: ClassVar[bool] = False
    simpler: ClassVar[Mapping[str, int]] = {"smoothing": 1}
    smoothing: Any
    intercept_: Array
    _counts_rows = True

    @property
    def class_count_(self) -> Array:
        """Total weight of the rows of each class."""
        return np.asarray(self.statistics_.mass)

    @property
    def class_log_prior_(self) -> Array:
        """Logarithms of the prior probabilities."""
        return log_priors(self.priors_)

    def __init__(
        self, priors: Priors = None, smoothing: float = 1.0, class_weight: ClassWeight = None
    ):
        self.priors = priors
        self.smoothing = smoothing
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        check_priors(self.priors)
        if self.smoothing is not None and not isinstance(self.smoothing, Mapping):
            require_nonnegative("smoothing", self.smoothing)

    def _families(self) -> list[tuple[Family, Any, float]]:
        """(family, columns as an index, smoothing) of each block."""
        return [(self.family(), slice(None), self.smoothing)]

    def _observed(self, X: Matrix) -> Matrix:
        """The rows in the form in which they are summed."""
        return X

    def _gather(self, X: Matrix, codes: Array, weights: Array, K: int) -> ClassSums:
        X, families, columns = self._observed(X), [], []
        for family, own, _ in self._families():
            self._require_support(X, family, own)
            families.append(family.fitted_to(columns_of(X, own), codes, weights, K))
            columns.append(own)
        return ClassSums.of(families, columns, X, codes, weights, K)

    def _left_out(
        self, X: Matrix, codes: Array, weights: Array, K: int, folds: HeldOut
    ) -> Iterator[Any]:
        total, observed = self._gather(X, codes, weights, K), self._observed(X)
        for rows in folds:
            left = total - total.of_part(chosen_rows(observed, rows), codes[rows], weights[rows])
            if left.lost(total):  # too many digits cancel
                kept = np.ones(len(codes), dtype=bool)
                kept[rows] = False
                left = self._gather(X[kept], codes[kept], weights[kept], K)
            yield left.stacked()

    def _require_support(self, X: Matrix, family: Family, own: Any) -> None:
        names = np.asarray(getattr(self, "feature_names_in_", range(X.shape[1])))
        family.check_rows(columns_of(X, own), names[own].tolist(), type(self).__name__)

    def _set_estimates(self, statistics: ClassSums) -> Self:
        self.priors_ = class_priors(self.priors, statistics.mass)
        self.families_, self._columns = statistics.families, statistics.columns
        self.natural_: list[Array] = []
        present = statistics.mass > 0  # a class without rows is not predicted
        mass, b = statistics.mass[present], log_priors(self.priors_, statistics.mass)
        on_boundary: list[tuple[int, int]] = []
        left: float | None = None  # of the families that iterate
        amounts = [amount for _, _, amount in self._families()]
        parts = zip(self.families_, self._columns, statistics.sums, amounts, strict=True)
        for family, columns, sums, amount in parts:
            family = family.of_classes(present)
            mean, edge = family.inside(family.smoothed(mass, sums[present], amount))
            theta = np.zeros_like(sums)
            theta[present] = natural = family.natural(mean)
            if (step := family.remaining_step(natural, mean)) is not None:
                left = max(left or 0.0, step)
            b[present] -= family.log_normalizer(natural)
            self.natural_.append(theta)
            if edge.any():
                k, j = np.argwhere(edge).T
                numbers = np.arange(self.n_features_in_)[columns]
                on_boundary += zip(np.flatnonzero(present)[k], numbers[j], strict=True)
        self.intercept_ = b
        if isinstance(self, LinearScores):
            self._set_scores(self.natural_[0], b)
        kind = "closed_form" if left is None else "newton_step"
        status, reason = self._ending(on_boundary, left)
        return self._record(status, reason, certificate=left, certificate_kind=kind)

    def _ending(self, on_boundary: list[tuple[int, int]], left: float | None) -> tuple[str, str]:
        if left is not None and not left <= SOLVED:
            return "max_iter", (
                f"the likelihood equations were left with a relative Newton step of {left:.1e}; "
                "use more smoothing, or rescale the features"
            )
        if not on_boundary:
            return "converged", ""
        k, j = on_boundary[0]
        names = getattr(self, "feature_names_in_", range(self.n_features_in_))
        return "rank_deficient", (
            f"feature {list(names)[j]!r} has no variance in class {self.classes_.tolist()[k]!r}, one of "
            f"{counted(len(on_boundary), 'such pair')}; its estimate is moved inside the boundary; use more smoothing"
        )

    def _decision_function(self, X: MatrixLike) -> Array:
        X = self._observed(self._check_rows(X))
        if isinstance(self, LinearScores):
            Z = products(X, self.coef_) + self.intercept_
            return Z[:, 0] if Z.shape[1] == 1 else Z
        Z = self._sums(X)
        present = np.isfinite(self.intercept_)
        far = np.flatnonzero(~(np.abs(Z[:, present]) <= MAX_SCORE).all(axis=1))  # also NaN
        if len(far):
            for family, own in zip(self.families_, self._columns, strict=True):
                self._require_support(X, family, own)
            Z[np.ix_(far, present)] = self._far_scores(X[far])[:, present]
        return difference_of_two(Z)

    _decision_function.__name__ = "decision_function"
    decision_function: Any = OnlyIf(_decision_function, _why_no_scores)

    def _far_scores(self, X: Matrix) -> Array:
        """Scores of rows whose scores overflow: those of nearer rows in the same directions, scaled to ±MAX_SCORE."""
        size = np.abs(X).max(axis=1)
        size = size.toarray().ravel() if sp.issparse(size) else size
        Z = self._sums(X * (NEARER / np.maximum(size, NEARER))[:, None])
        most = np.abs(np.where(np.isfinite(Z), Z, 0)).max(axis=1)
        return Z * np.where(size > NEARER, MAX_SCORE / np.maximum(most, 1), 1.0)[:, None]

    def _sums(self, X: Matrix) -> Array:
        Z = np.tile(self.intercept_, (X.shape[0], 1))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            parts = zip(self.families_, self._columns, self.natural_, strict=True)
            for family, own, theta in parts:
                Z += family.inner(columns_of(X, own), theta)
        return Z

    predict_log_proba = SoftmaxProbabilities.predict_log_proba
    log_proba_from = SoftmaxProbabilities.log_proba_from
    predict_proba = SoftmaxProbabilities.predict_proba

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.positive_only
        return tags
