"""Fisher's discriminant: the directions in which classes lie apart most, relative to their spread.

    v_r maximize  vᵀS_b v / vᵀS_w v,   S_b = Σ_k n_k (m_k − m)(m_k − m)ᵀ,   S_w within the classes,

each with unit spread and uncorrelated with those before: at most K − 1 of them, or n_components.
Rows go to the nearest of the projected means. For two classes that is w = S_w⁻¹(m₂ − m₁) with the
threshold midway between the projected means; with all directions it is linear discriminant
analysis with equal priors. It is a rule of geometry and claims no probabilities.
Fisher (1936); Hastie, Tibshirani & Friedman (2009), §4.3.3
"""

import copy
from numbers import Integral
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from linclass.conventions import LinearScores
from linclass.estimators.geometry import LinearGeometry
from linclass.statistics import leave_one_out
from linclass.statistics.class_moments import ClassMoments
from linclass.statistics.covariance import missing_rank, tied_form, tied_spread, tied_spreads
from linclass.statistics.from_moments import FromMoments
from linclass.statistics.spread import Spread

NEGLIGIBLE = 1e-12  # a ratio of spreads, of the largest


class FisherDiscriminant(FromMoments, LinearScores, LinearGeometry):
    def __init__(self, n_components: int | None = None):
        self.n_components = n_components

    def check(self) -> None:
        q = self.n_components
        if q is not None and not (isinstance(q, Integral) and q >= 1):
            raise ValueError(f"n_components is {q!r}; it must be at least 1, or None for all.")

    def _form(self, X: Any, K: int) -> str:
        return tied_form(X, K, "full", type(self).__name__)

    def _learn(self, statistics: ClassMoments) -> Self:
        spread = tied_spread(statistics, _over(statistics))
        return self._take(statistics, spread, *_axes(statistics, spread.whitener))

    def _learn_stack(self, stack: ClassMoments) -> list[Self]:
        if stack.form != "tied":
            return super()._learn_stack(stack)
        spreads = tied_spreads(stack, _over(stack))
        if min(spread.rank for spread in spreads) < stack.mean.shape[-1]:
            return super()._learn_stack(stack)
        axes = _axes(stack, np.stack([spread.whitener for spread in spreads]))
        parts = zip(stack.split(), spreads, *axes, strict=True)
        return [copy.copy(self)._take(*part) for part in parts]

    def _take(
        self,
        statistics: ClassMoments,
        spread: Spread,
        centre: np.ndarray,
        M: np.ndarray,
        ratio: np.ndarray,
        V: np.ndarray,
    ) -> Self:
        mass, self.means_, self.centre_ = statistics.mass, statistics.means, centre
        most = min(len(M) - 1, self.n_components or len(M))
        kept = np.flatnonzero(ratio > NEGLIGIBLE * ratio.max(initial=0))[:most]
        self.scalings_ = spread.whitener @ V[kept].T
        self.ratios_ = ratio[kept] ** 2 / max(statistics.total - len(M), 1)
        self.scalings_ *= _signs(self.scalings_, M)
        P = M @ self.scalings_
        W = P @ self.scalings_.T
        b = -0.5 * (P**2).sum(axis=1) - W @ self.centre_
        b[mass == 0] = -np.inf  # a class that has no rows yet
        self._set_scores(W, b)
        self.rank_, d = spread.rank, M.shape[1]
        if self.rank_ == d:
            return self._record()
        return self._record("rank_deficient", missing_rank(self.rank_, d))

    def _scores_of_others(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """With all directions the scores are those of linear discriminant analysis but for priors."""
        statistics = self.statistics_
        K, d = statistics.mean.shape
        all_of_them = self.n_components is None or self.n_components >= min(K - 1, d)
        if not all_of_them or statistics.form != "tied" or sp.issparse(X):
            return super()._scores_of_others(X, codes)
        spread = Spread.of_covariance(statistics.pooled, statistics.negligible)
        if spread.rank < d:
            return super()._scores_of_others(X, codes)
        return leave_one_out.tied(X, codes, statistics, spread, lost=1)

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates (n, q) along the directions, from the overall mean."""
        X = self._check_rows(X)
        return X @ self.scalings_ - self.centre_ @ self.scalings_

    def fit_transform(self, X: Any, y: Any, sample_weight: Any = None) -> np.ndarray:
        return self.fit(X, y, sample_weight).transform(X)

    def __sklearn_tags__(self):
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        return tags


def _over(statistics: ClassMoments) -> str:
    """Over N − K; over N where that is nothing."""
    positive = np.min(statistics.total - statistics.present) > 0
    return "unbiased" if positive else "maximum_likelihood"


def _axes(statistics: ClassMoments, whitener: np.ndarray) -> tuple[np.ndarray, ...]:
    """(centre, means about it, √ratio, directions in whitened coordinates), also of a stack.

    There S_w = I, so the directions are those of the weighted means.
    """
    centre = statistics.centre
    M = statistics.means - centre[..., None, :]
    weighted = np.sqrt(statistics.mass)[..., None] * (M @ whitener)
    _, ratio, V = np.linalg.svd(weighted, full_matrices=False)
    return centre, M, ratio, V


def _signs(V: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Each direction points to the last class rather than to the first."""
    return np.where((M[-1] - M[0]) @ V < 0, -1.0, 1.0)
