"""Linear discriminant analysis: Gaussian classes with one covariance,  z_k = θ_kᵀ(x − m) − A(θ_k) + ln π_k.

θ_k = Σ⁻¹(m_k − m), A(θ_k) = ½ θ_kᵀ(m_k − m), with the class means m_k, the overall mean m, and Σ the
scatter within the classes over N − K or N, optionally shrunk to (1 − α)Σ + α (tr Σ/d) I. If Σ is
singular its pseudo-inverse is used, and status_ says so: directions in which no class has any variance
are left out, even one that would separate them. Weights are frequency weights: weight 2 is the same as two rows.
With more features than rows only products of rows are needed; sparse rows stay sparse.

Predicts: log-odds, linear in x, and probabilities.
Cost: O(n d min(n, d)); O(n d) if diagonal or spherical.
Certificate: closed form.
Reference: Hastie, Tibshirani & Friedman (2009), §4.3; Ledoit & Wolf (2004).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import ArrayLike, ClassWeight, Matrix, MatrixLike
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.linear_scores import LinearGeometry, LinearScores
from linclass.base.weights import as_counts, have_weight
from linclass.discriminant.from_moments import FromStackedMoments
from linclass.discriminant.left_out import HeldOut
from linclass.discriminant.priors import Priors, check_priors, class_priors, log_priors_of_present
from linclass.discriminant.shrinkage import GivenShrinkage, LedoitWolfShrinkage
from linclass.discriminant.statistics.class_moments import ClassMoments
from linclass.discriminant.statistics.covariance import (
    LOST,
    check_covariance,
    check_shape,
    check_share,
    missing_rank,
    tied_form,
)
from linclass.discriminant.statistics.spread import Spread
from linclass.discriminant.statistics.tied_covariances import TiedCovariances
from linclass.discriminant.without_one_row import log_priors_of_others, tied_without_one_row


class LinearDiscriminantAnalysis(
    FromStackedMoments, LinearScores, SoftmaxProbabilities, LinearGeometry
):
    """Parameters
    ----------
    covariance : {'unbiased', 'maximum_likelihood'}, default='unbiased'
        Divisor of the scatter within the classes: N − K or N.
    shape : {'full', 'diagonal', 'spherical'}, default='full'
        Form of Σ. 'diagonal' is naive Bayes with variances shared by all classes; 'spherical' is a
        multiple of I.
    shrinkage : float or 'ledoit_wolf', default=0.0
        α, from 0 (no shrinkage) to 1 (spherical); 'ledoit_wolf' estimates it for the shape 'full'.

    Attributes
    ----------
    coef_
    intercept_
    means_ : array of shape (K, d)
        Class means m_k.
    priors_ : array of shape (K,)
        Prior probabilities π_k.
    rank_ : int
        Rank of Σ.
    shrinkage_ : float
        The shrinkage α that was used.
    statistics_ : object, only if the fit is a function of sums
        The sums over rows that the fit is a function of; `partial_fit` and `merge` add to them.
    """

    simpler: ClassVar[Mapping[str, int]] = {"shrinkage": 1}

    def __init__(
        self,
        priors: Priors = None,
        covariance: str = "unbiased",
        shape: str = "full",
        shrinkage: float | str = 0.0,
        class_weight: ClassWeight = None,
    ):
        self.priors = priors
        self.covariance = covariance
        self.shape = shape
        self.shrinkage = shrinkage
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        check_priors(self.priors)
        check_covariance(self.covariance)
        check_shape(self.shape)
        if self.shrinkage != "ledoit_wolf":
            check_share("shrinkage", self.shrinkage, ", or 'ledoit_wolf'")
        elif self.shape != "full":
            raise ValueError(
                f"shrinkage='ledoit_wolf' is estimated for a full covariance, and shape is {self.shape!r}; "
                "use shape='full', or give shrinkage as a number."
            )

    @property
    def _counts_rows(self) -> bool:
        return LOST[self.covariance] > 0 or self.shrinkage == "ledoit_wolf"

    @property
    def _chosen(self) -> GivenShrinkage | LedoitWolfShrinkage:
        if self.shrinkage == "ledoit_wolf":
            return LedoitWolfShrinkage()
        return GivenShrinkage(float(self.shrinkage), self._form)

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        K = len(self.classes_)
        direct = self._chosen.of_few_rows(X, codes, as_counts(weights), K)
        if direct is None:
            self.statistics_ = self._gather(X, codes, weights, K)
            self._n_rows = int(have_weight(weights).sum())
            return self._learn_all()
        self._forget("statistics_")  # of an earlier fit
        (alone,) = self._shrunk(*direct)
        return self._take(*alone)

    def _gathering(self) -> object:
        return self.shape == "full", type(self._chosen)

    def _form(self, X: Matrix, K: int) -> str:
        return tied_form(X, K, self.shape, type(self).__name__)

    def _gather(self, X: Matrix, codes: np.ndarray, weights: np.ndarray, K: int) -> Any:
        return self._chosen.sums(X, codes, weights, K)

    def _left_out(
        self, X: Matrix, codes: np.ndarray, weights: np.ndarray, K: int, folds: HeldOut
    ) -> Iterator[Any]:
        return self._chosen.sums_left_out(X, codes, weights, K, folds)

    def _learned(self, stack: Any) -> Iterable[tuple[Any, ...]]:
        return self._shrunk(*self._chosen.of_sums(stack))

    def _shrunk(self, stack: ClassMoments, share: float) -> Iterable[tuple[Any, ...]]:
        covariances = TiedCovariances(stack, self.covariance, self.shape, share)
        means, centre = stack.means, stack.centre
        priors = class_priors(self.priors, stack.mass)
        M = means - centre[:, None]
        theta = covariances.solve(M)
        normalizer = 0.5 * (covariances.whiten(M) ** 2).sum(axis=-1)
        b = log_priors_of_present(priors, stack.mass) - normalizer
        b -= (theta @ centre[..., None])[..., 0]
        residual = _residual(covariances, theta, M, normalizer)
        shares = [share] * len(means)
        return zip(means, priors, theta, b, residual, covariances.ranks, shares, strict=True)

    def _take(
        self,
        means: np.ndarray,
        priors: np.ndarray,
        theta: np.ndarray,
        b: np.ndarray,
        residual: float,
        rank: int,
        share: float,
    ) -> Self:
        self.means_, self.priors_, self.rank_, self.shrinkage_ = means, priors, rank, share
        self._set_scores(theta, b)
        d = means.shape[1]
        if rank == d:
            return self._record(certificate=residual)
        return self._record("rank_deficient", missing_rank(rank, d), certificate=residual)

    def _scores_of_others(
        self, X: Matrix, codes: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        statistics = self.statistics_
        plain = self.shape == "full" and self.shrinkage == 0 and statistics.form == "tied"
        if not plain or sp.issparse(X):
            return super()._scores_of_others(X, codes, weights)
        spread = Spread.of_covariance(statistics.pooled, statistics.negligible)
        if spread.rank < X.shape[1]:
            return super()._scores_of_others(X, codes, weights)
        Z, lone = tied_without_one_row(X, codes, weights, statistics, spread, LOST[self.covariance])
        return Z + log_priors_of_others(self.priors, codes, weights, statistics.mass), lone


def _residual(
    covariances: TiedCovariances, theta: np.ndarray, M: np.ndarray, normalizer: np.ndarray
) -> list[float]:
    """‖Σθ − m‖ / ‖m‖ of each fold in whitened coordinates: how well the linear equations are solved."""
    missed = covariances.whiten(covariances.times(theta) - M)
    size = 2 * normalizer.sum(axis=1)  # ‖m‖²
    left = (missed * missed).sum(axis=(1, 2))
    share: list[float] = np.sqrt(left / np.where(size > 0, size, 1)).tolist()
    return share
