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
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from linclass.base.arrays import Array, Matrix
from linclass.base.linear_scores import Coordinates, LinearScores
from linclass.base.parameters import require_whole
from linclass.discriminant.class_moments import ClassMoments
from linclass.discriminant.covariance import (
    TiedCovariances,
    degrees_of_freedom,
    missing_rank,
    tied_form,
)
from linclass.discriminant.from_statistics import FromStatistics

NEGLIGIBLE_RATIO = 1e-12  # ratio of standard deviations, relative to the largest


class FisherDiscriminant(FromStatistics, Coordinates, LinearScores):
    """Parameters
    ----------
    n_components : int or None, default=None
        Number of directions, at least 1. None takes all, at most min(K − 1, d).

    Attributes
    ----------
    coef_
    intercept_
    means_
    centre_ : array of shape (d,)
        Overall mean m.
    scalings_ : array of shape (d, q)
        The q directions v_r, as columns.
    ratios_ : array of shape (q,)
        Their ratios vᵀS_b v / vᵀS_w v, decreasing.
    rank_ : int
        Rank of S_w.
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

    def _estimates(self, stack: ClassMoments) -> Iterable[tuple[Any, ...]]:
        return zip(stack.split(), directions(stack, stack.mass), strict=True)

    def _set_estimates(self, statistics: ClassMoments, found: "Directions") -> Self:
        offsets = np.where(statistics.mass > 0, 0, -np.inf)
        return set_directions(self, statistics, found, offsets, found.divisor)


class Directions(NamedTuple):
    """What all numbers of components share, of one fold."""

    rank: int
    divisor: float  # of the scatter
    centre: Array  # (d,)
    M: Array  # (K, d), the class means about it
    ratio: Array  # √ of the ratios of variance between to within
    axes: Array  # (q, d)


def directions(stack: ClassMoments, class_weights: Array) -> Iterable[Directions]:
    """The directions of each fold, for these weights (F, K) of the classes in the covariance between them.

    In whitened coordinates Σ = I, so the directions are the principal axes of the weighted means. The divisor of the
    scatter is N − K, or N where that is 0.
    """
    ddof = int((stack.total - stack.present).min() > 0)
    covariances, means = TiedCovariances(stack, ddof), stack.means
    total = class_weights.sum(axis=-1)[..., None]
    centre = (class_weights[..., None, :] @ means)[..., 0, :] / total
    M = means - centre[..., None, :]
    weighted = np.sqrt(class_weights)[..., None] * covariances.whiten(M)
    _, ratio, V = np.linalg.svd(weighted, full_matrices=False)
    divisors = degrees_of_freedom(stack, ddof)
    parts = (covariances.ranks, divisors, centre, M, ratio, covariances.directions(V))
    return map(Directions, *parts)


def set_directions(
    model: Any, statistics: ClassMoments, found: Directions, offsets: Array, divisor: float
) -> Any:
    """Set the fitted attributes; `offsets` are the constants of the scores beside the distances to the means."""
    model.means_, model.centre_, M = statistics.means, found.centre, found.M
    most = min(len(M) - 1, model.n_components or len(M))
    kept = np.flatnonzero(found.ratio > NEGLIGIBLE_RATIO * found.ratio.max(initial=0))[:most]
    V = found.axes[kept].T.copy()
    V *= np.where((M[-1] - M[0]) @ V < 0, -1.0, 1.0)  # to the last class rather than to the first
    model.scalings_, model.ratios_ = V, found.ratio[kept] ** 2 / divisor
    P = M @ V
    W = P @ V.T
    model._set_scores(W, offsets - 0.5 * (P**2).sum(axis=1) - W @ model.centre_)
    model.rank_, d = found.rank, M.shape[1]
    if model.rank_ == d:
        return model._record()
    return model._record("rank_deficient", missing_rank(model.rank_, d))
