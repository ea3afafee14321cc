"""Fisher's discriminant: the directions with the largest ratio of variance between to within the classes.

    v_r maximize  vᵀS_b v / vᵀS_w v,   S_b = Σ_k n_k (m_k − m)(m_k − m)ᵀ,   S_w within the classes,

each with unit variance within the classes and uncorrelated with the previous ones; there are at most
K − 1. Rows are assigned to the nearest projected mean. For two classes that is w = S_w⁻¹(m₂ − m₁) with
the threshold midway between the projected means; with all directions it is linear discriminant analysis
with equal priors. It is a geometric rule and gives no probabilities.

Predicts: scores, linear in x, and discriminant coordinates.
Cost: O(n d min(n, d)).
Certificate: closed form.
Reference: Fisher (1936); Hastie, Tibshirani & Friedman (2009), §4.3.3.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Matrix
from linclass.base.linear_scores import Coordinates, LinearGeometry, LinearScores
from linclass.base.parameters import require_whole
from linclass.discriminant.from_moments import FromStackedMoments
from linclass.discriminant.statistics.class_moments import ClassMoments
from linclass.discriminant.statistics.covariance import freedom, missing_rank, tied_form
from linclass.discriminant.statistics.spread import Spread
from linclass.discriminant.statistics.tied_covariances import TiedCovariances
from linclass.discriminant.without_one_row import tied_without_one_row

NEGLIGIBLE = 1e-12  # ratio of standard deviations, relative to the largest


class FisherDiscriminant(FromStackedMoments, Coordinates, LinearScores, LinearGeometry):
    """Parameters
    ----------
    n_components : int or None, default=None
        Number of directions, at least 1. None takes all, at most min(K − 1, d).

    Attributes
    ----------
    coef_
    intercept_
    means_ : array of shape (K, d)
        Class means m_k.
    centre_ : array of shape (d,)
        Overall mean m.
    scalings_ : array of shape (d, q)
        The q directions v_r, as columns.
    ratios_ : array of shape (q,)
        Their ratios vᵀS_b v / vᵀS_w v, decreasing.
    rank_ : int
        Rank of S_w.
    statistics_ : object
        The sums over rows that the fit is a function of; `partial_fit` and `merge` add to them.
    """

    simpler: ClassVar[Mapping[str, int]] = {"n_components": -1}
    _counts_rows = True

    def __init__(self, n_components: int | None = None):
        self.n_components = n_components

    def check(self) -> None:
        super().check()
        require_whole("n_components", self.n_components, 1, or_none=True)

    def _form(self, X: Matrix, K: int) -> str:
        return tied_form(X, K, "full", type(self).__name__)

    def _learned(self, stack: ClassMoments) -> Iterable[tuple[Any, ...]]:
        over = _over(stack)
        covariances, divisors = TiedCovariances(stack, over), freedom(stack, over)
        parts = stack.split(), covariances.ranks, divisors, *self._axes(stack, covariances)
        return zip(*parts, strict=True)

    def _weights(self, statistics: ClassMoments) -> np.ndarray:
        """Weight of each class in the covariance between classes."""
        return statistics.mass

    def _ratio(self, squares: np.ndarray, divisor: float) -> np.ndarray:
        """vᵀS_b v / vᵀS_w v, from what it is for the covariance S_w/divisor in the place of S_w."""
        return squares / divisor

    def _offsets(self, mass: np.ndarray) -> np.ndarray:
        """Constant of each class's score beside the distance to its mean; −∞ without rows."""
        return np.where(mass > 0, 0, -np.inf)

    def _axes(
        self, statistics: ClassMoments, covariances: TiedCovariances
    ) -> tuple[np.ndarray, ...]:
        """(centre, means about it, √ratio, directions) of each fold.

        In whitened coordinates Σ = I, so the directions are the principal axes of the weighted means.
        """
        weights, means = self._weights(statistics), statistics.means
        total = weights.sum(axis=-1)[..., None]
        centre = (weights[..., None, :] @ means)[..., 0, :] / total
        M = means - centre[..., None, :]
        weighted = np.sqrt(weights)[..., None] * covariances.whiten(M)
        _, ratio, V = np.linalg.svd(weighted, full_matrices=False)
        return centre, M, ratio, covariances.directions(V)

    def _take(
        self,
        statistics: ClassMoments,
        rank: int,
        divisor: float,
        centre: np.ndarray,
        M: np.ndarray,
        ratio: np.ndarray,
        directions: np.ndarray,
    ) -> Self:
        mass, self.means_, self.centre_ = statistics.mass, statistics.means, centre
        most = min(len(M) - 1, self.n_components or len(M))
        kept = np.flatnonzero(ratio > NEGLIGIBLE * ratio.max(initial=0))[:most]
        self.scalings_ = directions[kept].T.copy()
        self.ratios_ = self._ratio(ratio[kept] ** 2, divisor)
        self.scalings_ *= _signs(self.scalings_, M)
        P = M @ self.scalings_
        W = P @ self.scalings_.T
        b = self._offsets(mass) - 0.5 * (P**2).sum(axis=1) - W @ self.centre_
        self._set_scores(W, b)
        self.rank_, d = rank, M.shape[1]
        if self.rank_ == d:
            return self._record()
        return self._record("rank_deficient", missing_rank(self.rank_, d))

    def _scores_of_others(
        self, X: Matrix, codes: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """With all directions the scores are those of linear discriminant analysis with equal priors."""
        statistics = self.statistics_
        K, d = statistics.mean.shape
        all_of_them = self.n_components is None or self.n_components >= min(K - 1, d)
        if not all_of_them or statistics.form != "tied" or sp.issparse(X):
            return super()._scores_of_others(X, codes, weights)
        spread = Spread.of_covariance(statistics.pooled, statistics.negligible)
        if spread.rank < d:
            return super()._scores_of_others(X, codes, weights)
        return tied_without_one_row(X, codes, weights, statistics, spread, lost=1)


def _over(statistics: ClassMoments) -> str:
    """Divisor of the scatter: N − K, or N where that is 0."""
    positive = (statistics.total - statistics.present).min() > 0
    return "unbiased" if positive else "maximum_likelihood"


def _signs(V: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Signs for which each direction points to the last class rather than to the first."""
    return np.where((M[-1] - M[0]) @ V < 0, -1.0, 1.0)
