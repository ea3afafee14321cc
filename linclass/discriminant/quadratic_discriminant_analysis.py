"""Quadratic discriminant analysis: Gaussian classes, each with its own covariance.

    z_k = xᵀA_k x + β_kᵀx + γ_k,   A_k = −½ Σ_k⁻¹,   β_k = Σ_k⁻¹ m_k,
    γ_k = −½ m_kᵀΣ_k⁻¹m_k − ½ ln det Σ_k + ln π_k.

Σ_k is the scatter of class k over n_k − 1 or n_k, the sum of the frequency weights. It is
optionally shrunk to (1 − λ)Σ_k + λΣ, with the pooled Σ of linear discriminant analysis. A class with a
singular Σ_k (too few rows, a constant feature) has no density: the pooled covariance is used instead,
and status_ says so.

Predicts: log-odds, quadratic in x, and probabilities.
Cost: O(n d² + K d³), and O(K d²) a predicted row; with more features than rows O(n² d + n³), and O(n d + n²).
Certificate: closed form.
Reference: Friedman (1989), Regularized discriminant analysis; Hastie, Tibshirani & Friedman (2009), §4.3.1.
"""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import BLOCK, ArrayLike, ClassWeight, Matrix, MatrixLike
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.linear_scores import LARGEST
from linclass.base.messages import counted, require_memory
from linclass.discriminant.class_spreads import ClassSpreads
from linclass.discriminant.from_moments import FromStackedMoments
from linclass.discriminant.priors import Priors, check_priors, class_priors, log_priors_of_present
from linclass.discriminant.statistics.class_moments import ClassMoments
from linclass.discriminant.statistics.covariance import (
    LOST,
    AnySpread,
    check_covariance,
    check_share,
    freedom_of_classes,
    is_wide,
    missing_rank,
)
from linclass.discriminant.statistics.row_spreads import OF_ROWS, SpanSpread
from linclass.discriminant.statistics.spread import Spread
from linclass.discriminant.without_one_row import full_without_one_row, log_priors_of_others


class QuadraticDiscriminantAnalysis(FromStackedMoments, SoftmaxProbabilities):
    """Parameters
    ----------
    covariance : {'unbiased', 'maximum_likelihood'}, default='unbiased'
        Divisor of the scatter within the classes: n_k − 1 or n_k.
    shrinkage : float, default=0.0
        λ, from 0 (no shrinkage) to 1 (the pooled covariance).

    Attributes
    ----------
    means_ : array of shape (K, d)
        Class means m_k.
    priors_ : array of shape (K,)
        Prior probabilities π_k.
    A_ : array of shape (K, d, d)
        Quadratic coefficients A_k.
    beta_ : array of shape (K, d)
        Linear coefficients β_k.
    gamma_ : array of shape (K,)
        Constants γ_k.
    statistics_ : object
        The sums over rows that the fit is a function of; `partial_fit` and `merge` add to them.
    """

    simpler: ClassVar[Mapping[str, int]] = {"shrinkage": 1}

    def __init__(
        self,
        priors: Priors = None,
        covariance: str = "unbiased",
        shrinkage: float = 0.0,
        class_weight: ClassWeight = None,
    ):
        self.priors = priors
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        check_priors(self.priors)
        check_covariance(self.covariance)
        check_share("shrinkage", self.shrinkage)

    @property
    def _counts_rows(self) -> bool:
        return LOST[self.covariance] > 0

    def _form(self, X: Matrix, K: int) -> str:
        if is_wide(X, K):
            return "class_rows"
        d = X.shape[1]
        what = f"{type(self).__name__} needs {K} dense {d} × {d} covariances"
        require_memory(8 * 3 * K * d * d, f"{what} and their factors")
        return "full"

    def fitter(self, X: MatrixLike, y: ArrayLike) -> Callable[[Mapping[str, Any]], Any]:
        """A function of parameters that fits to these rows, from the same sums.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows.
        y : array of shape (n,)
            Class of each row.

        Returns
        -------
        function of a dict
            The classifier with these parameters, fitted.
        """
        first = self._unfitted()
        first._summed(X, y, None)

        def fitted(params: Mapping[str, Any]) -> Any:
            model = copy.copy(first).set_params(**params)
            if model._shared() != first._shared():
                return model.fit(X, y)
            model.check()
            return model._learn(model._counted())

        return fitted

    def _learned(self, stack: ClassMoments) -> Iterable[tuple[Any, ...]]:
        priors = class_priors(self.priors, stack.mass)
        logarithms = log_priors_of_present(priors, stack.mass)
        return zip(self._spreads_of(stack), priors, logarithms, strict=True)

    def _spreads_of(self, stack: ClassMoments) -> list[ClassSpreads]:
        """The covariances of each fold, factored at once if they are not shrunk."""
        folds = stack.split()
        if self.shrinkage or stack.form != "full":
            return [ClassSpreads(fold, self.covariance, self.shrinkage) for fold in folds]
        K, d = stack.mean.shape[1:]
        S = stack.scatter / freedom_of_classes(stack, self.covariance)[..., None, None]
        negligible = np.repeat(stack.negligible, K, axis=0)
        own = Spread.of_covariances(S.reshape(-1, d, d), negligible)
        return [
            ClassSpreads(fold, self.covariance, own=own[j * K : (j + 1) * K])
            for j, fold in enumerate(folds)
        ]

    def _take(self, spreads: ClassSpreads, priors: np.ndarray, logarithms: np.ndarray) -> Self:
        self.means_, self.priors_ = spreads.moments.means, priors
        self._spreads = [spreads.of(k) for k in range(len(self.means_))]
        self._constant = logarithms - 0.5 * _relative_volumes(self._spreads)
        if not spreads.deficient:
            return self._record()
        return self._record("rank_deficient", self._deficiency(spreads))

    def _deficiency(self, spreads: ClassSpreads) -> str:
        k, singular = spreads.deficient[0]
        d, more = self.means_.shape[1], len(spreads.deficient) - 1
        if self.shrinkage:  # the pooled covariance has that rank, too
            return missing_rank(singular.rank, d)
        if isinstance(singular, SpanSpread):  # its rank would have to be computed
            what = f"is singular, with {len(singular.R)} rows of {d} features"
        else:
            what = f"has rank {singular.rank} of {d}"
        others = f" (and those of {counted(more, 'more class')})" if more else ""
        return (
            f"the covariance of class {self.classes_.tolist()[k]!r} {what}{others}; "
            "the pooled covariance is used instead; shrinkage above 0 mixes the two"
        )

    @property
    def A_(self) -> np.ndarray:
        """Quadratic coefficients A_k, of shape (K, d, d)."""
        K, d = self.means_.shape
        require_memory(8 * (2 * K + 3) * d * d, f"A_ has {K} dense {d} × {d} matrices")
        return np.stack([-0.5 * s.solve(np.eye(self.means_.shape[1])) for s in self._spreads])

    @property
    def beta_(self) -> np.ndarray:
        """Linear coefficients β_k, of shape (K, d)."""
        pairs = zip(self._spreads, self.means_, strict=True)
        return np.stack([spread.solve(m[None])[0] for spread, m in pairs])

    @property
    def gamma_(self) -> np.ndarray:
        """Constants γ_k, of shape (K,)."""
        in_common = self._spreads[0].log_volume - _relative_volumes(self._spreads)[0]
        return self._constant - 0.5 * (in_common + (self.beta_ * self.means_).sum(axis=1))

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        X = self._check_rows(X)
        Z = np.empty((X.shape[0], len(self.means_)))
        with np.errstate(over="ignore", invalid="ignore"):
            for begin in range(0, len(Z), BLOCK):
                rows = X if len(Z) <= BLOCK else X[begin : begin + BLOCK]
                if sp.issparse(rows) and not isinstance(self._spreads[0], OF_ROWS):
                    rows = rows.toarray()
                for k, (m, spread) in enumerate(zip(self.means_, self._spreads, strict=True)):
                    Z[begin : begin + BLOCK, k] = -0.5 * spread.distances(rows, m)
        Z = np.fmax(Z, -LARGEST)  # a distance that is ∞ − ∞ is infinite, too
        Z += self._constant
        return _difference(Z) if Z.shape[1] == 2 else Z

    def _scores_of_others(
        self, X: Matrix, codes: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        moments, d = self.statistics_, X.shape[1]
        if self.shrinkage or sp.issparse(X) or moments.form != "full":
            return super()._scores_of_others(X, codes, weights)
        spreads = [Spread.of_covariance(S, moments.negligible) for S in moments.scatter]
        if min(spread.rank for spread in spreads) < d:
            return super()._scores_of_others(X, codes, weights)
        Z, lone = full_without_one_row(X, codes, weights, moments, spreads, LOST[self.covariance])
        return Z + log_priors_of_others(self.priors, codes, weights, moments.mass), lone


def _relative_volumes(spreads: Sequence[AnySpread]) -> np.ndarray:
    """ln det Σ_k, less what two classes in the same span have in common: their scores differ without it."""
    in_spans = [spread for spread in spreads if isinstance(spread, SpanSpread)]
    if len(in_spans) == len(spreads) == 2 and in_spans[0].span is in_spans[1].span:
        return np.array([spread.log_volume_in_span for spread in in_spans])
    return np.array([spread.log_volume for spread in spreads])


def _difference(Z: np.ndarray) -> np.ndarray:
    """z₁ − z₀; 0 if both are infinite."""
    with np.errstate(invalid="ignore"):
        z = Z[:, 1] - Z[:, 0]
    return np.where(np.isnan(z), 0.0, z)
