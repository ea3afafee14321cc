"""Gaussian naive Bayes: independent Gaussian features,  z_k = θ_kᵀT(x) − A(θ_k) + ln π_k,  T = (x, x²).

Each feature has a variance in each class, by maximum likelihood, or one for all classes (tied); to all
of them var_smoothing times the largest variance of a feature is added, as in scikit-learn. The scores are
linear in T, so quadratic in x; with tied variances they are linear in x, and the posterior is a logistic
function.

Predicts: log-odds, quadratic in x or linear if tied, and probabilities.
Cost: O(n d).
Certificate: closed form.
Reference: Hastie, Tibshirani & Friedman (2009), §6.6.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import Array, ClassWeight, Matrix, MatrixLike
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.linear_scores import LinearGeometry, products, scores_of_stack
from linclass.base.many_fits import Scaling
from linclass.base.messages import counted
from linclass.base.parameters import require_nonnegative
from linclass.discriminant.class_moments import ClassMoments
from linclass.discriminant.from_statistics import (
    FromStatistics,
    Priors,
    check_priors,
    class_priors,
    log_priors,
)
from linclass.naive_bayes.families.gaussian import FLOOR, Gaussian


class GaussianNB(FromStatistics, SoftmaxProbabilities, LinearGeometry):
    """Parameters
    ----------
    var_smoothing : float, default=1e-9
        Share of the largest variance of a feature (over all rows) that is added to all variances.
    tied : bool, default=False
        Whether all classes share the variances, which makes the classifier linear.

    Attributes
    ----------
    means_
    variances_ : array of shape (K, d)
        Variances, including `epsilon_`.
    epsilon_ : float
        Number that was added to all variances.
    priors_
    natural_ : array of shape (1, 2d) for two classes, (K, 2d) for more
        Natural parameters θ about the overall mean.
    intercept_
    coef_ : array of shape (1, d) for two classes, (K, d) for more, only with tied=True
        Weights W.
    class_count_ : array of shape (K,)
        Total weight of the rows of each class.
    theta_, var_, class_prior_
        scikit-learn's names of `means_`, `variances_` and `priors_`.
    """

    simpler: ClassVar[Mapping[str, int]] = {"var_smoothing": 1}
    natural_: Array
    intercept_: Array
    _family: Gaussian

    def __init__(
        self,
        priors: Priors = None,
        var_smoothing: float = 1e-9,
        tied: bool = False,
        class_weight: ClassWeight = None,
    ):
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.tied = tied
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        check_priors(self.priors)
        require_nonnegative("var_smoothing", self.var_smoothing)

    class_count_ = property(lambda self: self.statistics_.mass, doc="Weight of each class.")
    theta_ = property(lambda self: self.means_, doc="Means of the features in each class.")
    var_ = property(lambda self: self.variances_, doc="Variances of the features in each class.")
    class_prior_ = property(lambda self: self.priors_, doc="Prior probabilities.")

    def _form(self, X: Matrix, K: int) -> str:
        return "diagonal"

    def _estimates(self, stack: ClassMoments) -> Iterable[tuple[Any, ...]]:
        mass, means, centre = stack.mass, stack.means, stack.centre
        n = mass.sum(axis=-1)[:, None]
        pooled = stack.pooled / n
        within = stack.scatter / np.where(mass > 0, mass, 1)[..., None]
        shared = (mass == 0)[..., None] | self.tied
        within = np.where(shared, pooled[:, None], within)
        between = mass[:, None, :] @ (means - centre[:, None]) ** 2
        total = pooled + between[:, 0] / n
        epsilon = self.var_smoothing * total.max(axis=1)
        variances = within + epsilon[:, None, None]

        # variances that are rounding errors are raised to a floor
        constant = total <= stack.negligible**2
        floor = np.where(constant, 0, FLOOR * total)[:, None]
        low = variances <= floor
        if low.any():
            variances = np.where(low, np.where(constant[:, None], 1, floor), variances)

        priors = class_priors(self.priors, mass)
        family = Gaussian(origin=centre[:, None])
        natural = family.of_moments(means, variances)
        intercept = log_priors(priors, mass) - family.log_normalizer(natural)
        if mass.shape[1] == 2:
            natural = natural[:, 1:] - natural[:, :1]
            intercept = intercept[:, 1:] - intercept[:, :1]
        parts = (means, variances, epsilon.tolist(), priors, natural, intercept, centre, low)
        return zip(*parts, strict=True)

    def _set_estimates(self, *estimates: Any) -> Self:
        self.means_, self.variances_, self.epsilon_, self.priors_, *scores, centre, low = estimates
        self.natural_, self.intercept_ = scores
        self._family = Gaussian(origin=centre)
        self._forget("coef_")
        if self.tied:  # then the coefficients of x² are equal in all classes
            self.coef_ = self.natural_[:, : len(centre)]
            self.intercept_ = self.intercept_ - self.coef_ @ centre
        if not low.any():
            return self._record()
        pairs = np.argwhere(low)
        k, i = pairs[0]
        reason = (
            f"feature {i} has no variance in class {self.classes_.tolist()[k]!r}, one of "
            f"{counted(len(pairs), 'such pair')}; {FLOOR:g} of its overall variance is used (1 if that is 0)"
        )
        return self._record("rank_deficient", reason)

    def _plane(self, pair: tuple[int, int] | None) -> tuple[Array, float]:
        if hasattr(self, "natural_") and not hasattr(self, "coef_"):
            raise ValueError(
                "variances of each class make a quadratic boundary; for a hyperplane use GaussianNB(tied=True)."
            )
        return super()._plane(pair)

    @staticmethod
    def _scores_of_stack(models: Sequence[Any], X: Array, scaling: Scaling | None = None) -> Array:
        """decision_function of each model for its rows, X (models, n, d), at once; with scaling, for the rows
        (x − shift)/scale. X is overwritten.
        """
        if models[0].tied:  # with an intercept at 0, not at the origin of the family
            return scores_of_stack(models, X, scaling)
        origin = np.array([model._family.origin for model in models])
        first, second = np.split(np.array([model.natural_.T for model in models]), 2, axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            if scaling is not None:
                shift, scale = map(np.array, zip(*scaling, strict=True))
                origin = shift + scale * origin
                first, second = first / scale[..., None], second / scale[..., None] ** 2
            X -= origin[:, None]
            Z = X @ first + np.array([model.intercept_ for model in models])[:, None]
            X *= X
            Z += X @ second
        return Z[..., 0] if Z.shape[-1] == 1 else Z

    def decision_function(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        if self.tied:
            Z = products(X, self.coef_) + self.intercept_
        else:
            Z = self._family.inner(X, self.natural_) + self.intercept_
        return Z[:, 0] if Z.shape[1] == 1 else Z
