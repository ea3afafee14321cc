"""Squared loss in terms of second moments:  with X_c = X − x̄, y_c = y − ȳ and Σw = 1

    G = X_cᵀ W X_c,   c = X_cᵀ W y_c,   Σ w ½r² = ½ Σ w y_c² − c·v + ½ vᵀG v,   X_cᵀ W r = G v − c.

G is computed for all features at once, or for those that are needed, and kept. Without an intercept nothing
is centred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linclass.base.arrays import ROUNDED_COSINE, Array
from linclass.base.messages import require_memory
from linclass.linear.objective.certificate import certify, relative
from linclass.linear.objective.coordinates import second_moments
from linclass.linear.objective.objective import Objective

MAX_WHOLE_GRAM = 500  # features up to which all of G is computed, if there are as many rows
CONSTANT_BELOW = 1e-12  # relative to the norm of a column: a deviation below it is rounding
CANCELLED_BELOW = 1e-3  # relative to the norm: below it the centred column is used


class CentredGram:
    def __init__(self, objective: Objective, whole: bool = False):
        """`whole`: G of all features at once, in one pass over the rows."""
        design, w, Y = objective.design, objective.weights, np.atleast_2d(objective.y)
        self.design, self.weights = design, w
        d = design.n_features
        self.whole, self.known = whole, np.arange(d if whole else 0)
        self._place = np.arange(d) if whole else np.full(d, -1)  # position of a feature in G
        constant = Y.min(axis=1) == Y.max(axis=1)  # its mean has no rounding error
        self.y_mean = np.where(constant, Y[:, 0], Y @ w) if design.intercept else np.zeros(len(Y))
        Y = Y - self.y_mean[:, None]
        self.variance = Y**2 @ w
        if whole:
            self.mean, self.G, self.c = second_moments(design, w, Y)
            return
        self.mean = design.centre(w)
        self.c = design.pull(w * Y)[:, :d] - np.outer(Y @ w, self.mean)
        # (√w X_c)ᵀ of the known features, if dense, and their G, each with room for more
        self._rows, self._room = np.empty((0, design.n_rows)), np.zeros((0, 0))
        self.G = self._room

    def among(self, features: Array) -> Array:
        """G of these features."""
        self.learn(features)
        place = self._place[features]
        return self.G[np.ix_(place, place)]

    def between(self, features: Any, feature: int) -> Array:
        """Column `feature` of G, at these features."""
        if self._place[feature] < 0:
            self.learn(np.array([feature]))
        return self.G[self._place[feature]][self._place[features]]  # G = Gᵀ

    @property
    def variances(self) -> Array:
        """The diagonal of G, of the known features."""
        return np.einsum("jj->j", self.G)

    def times(self, v: Array) -> Array:
        """G v; by products with the rows if not all of G is known. If it is, v may be a stack, (…, d)."""
        if self.whole:
            return v @ self.G  # G = Gᵀ
        ends = [-(self.mean @ v)] * self.design.intercept
        z = self.design.scores(np.append(v, ends))
        pulled = self.design.pull(self.weights * z)
        if ends:  # z has the mean 0 but for rounding, which a column far from 0 would magnify
            pulled[:-1] -= pulled[-1] * self.mean
        return pulled[: len(v)]

    def covariances(self) -> Array:
        """c of the first score, with 0 where it is rounding, as of a constant feature."""
        norms = self.design.column_norms(self.weights)[: self.design.n_features]
        size = norms * np.sqrt(self.variance[0])  # of y, which is centred before
        c = self.c[0]
        return np.where(np.abs(c) > ROUNDED_COSINE * size, c, 0)

    def deviations(self) -> Array:
        """Standard deviation of each column; ∞ for a constant one, so that its weight stays at 0."""
        design, mean = self.design, self.mean
        lengths = design.column_norms(self.weights)[: design.n_features]
        spread = np.sqrt(np.maximum(lengths**2 - mean**2, 0))
        far = np.flatnonzero(spread < CANCELLED_BELOW * lengths)  # digits cancel
        for j in far:
            spread[j] = np.linalg.norm(design.columns(np.array([j]), mean, np.sqrt(self.weights)))
        return np.where(spread > CONSTANT_BELOW * lengths, spread, np.inf)

    def theta(self, W: Array) -> Array:
        """(…, K, d) → (…, K, d + 1), with the best intercept  b = ȳ − x̄·w."""
        if not self.design.intercept:
            return W
        theta = np.empty((*W.shape[:-1], W.shape[-1] + 1))
        theta[..., :-1], theta[..., -1] = W, self.y_mean - W @ self.mean
        return theta

    def learn(self, features: Array) -> None:
        """Extend G by those of the features that are not known."""
        new, design, k = features[self._place[features] < 0], self.design, len(self.known)
        if not len(new):
            return
        known = np.append(self.known, new)
        m = len(known)
        require_memory(16 * m * m, f"quadratic_program needs a dense {m} × {m} Gram matrix")
        if m > len(self._room):
            room = np.zeros((with_room(m), with_room(m)))
            room[:k, :k] = self.G
            self._room = room
        if design.is_sparse:
            cross = design.gram_between(known, new, self.weights)
            cross -= np.outer(self.mean[known], self.mean[new])
        else:
            if m > len(self._rows):
                rows = np.empty((with_room(m), design.n_rows))
                rows[:k] = self._rows[:k]
                self._rows = rows
            self._rows[k:m] = design.columns(new, self.mean, np.sqrt(self.weights)).T
            cross = self._rows[:m] @ self._rows[k:m].T
        self.G = self._room[:m, :m]
        self.G[:, k:], self.G[k:, :k] = cross, cross[:k].T
        self._place[new], self.known = np.arange(k, m), known


def gram_of(objective: Objective) -> CentredGram:
    design = objective.design
    return CentredGram(objective, whole=design.n_features <= min(MAX_WHOLE_GRAM, design.n_rows))


def with_room(size: int) -> int:
    """A size from which arrays that grow to `size` seldom have to be copied."""
    return size + size // 8 + 32


# The squared loss at several weights and strengths: values, slopes and certificates, from second moments:
#
#     L = ½ Σ w y_c² + ½ vᵀG v − c·v,   s = G v − c,   P = L + λ Σ_j (κ_j|v_j| + ½μ_j v_j²),
#     −D = t²L + t (c·v − Σ w y_c²) + Σ_j max(t|s_j| − λκ_j, 0)²/(2λμ_j).
#
# The dual point is t times the residuals, with t ≤ 1 such that  t|s_j| ≤ λκ_j  where μ_j = 0. A whole path has one
# product with G. Where the loss has too few digits, the rows are evaluated.   Boyd & Vandenberghe (2004), §5.5

BALANCED_COSINE = 1e-12  # rounding error of the cosine of residuals and an unpenalized feature
LEAST_LOSS_SHARE = 1e-6  # share of the loss at v = 0: below it the formula loses too many digits


class GramPoint(NamedTuple):
    """The objective at some weights."""

    value: float
    slopes: Array  # of the loss, (K, d)
    certificate: float  # relative duality gap


def evaluated(objective: Objective, gram: CentredGram, W: Array) -> GramPoint:
    """The objective at the weights (K, d)."""
    return evaluated_along([objective], gram, W[None])[0]


def evaluated_along(
    objectives: Sequence[Objective], gram: CentredGram, W: Array
) -> list[GramPoint]:
    """The objective at several strengths, each at its weights, (m, K, d)."""
    strengths = np.array([objective.strength for objective in objectives])
    seen: list[GramPoint | None] = [None] * len(strengths)
    if gram.whole and strengths.all():
        seen = from_moments(objectives[0], gram, strengths, W)
    return [
        point or from_rows(objective, gram, weights)
        for point, objective, weights in zip(seen, objectives, W, strict=True)
    ]


def from_rows(objective: Objective, gram: CentredGram, W: Array) -> GramPoint:
    """The objective at the weights (K, d), by products with the rows."""
    point = objective.at(gram.theta(W).reshape(objective.shape))
    slopes = np.atleast_2d(objective.weight_part(point.loss_gradient))
    return GramPoint(point.value, slopes, certify(point))


def from_moments(
    objective: Objective, gram: CentredGram, strengths: Array, W: Array
) -> list[GramPoint | None]:
    """The objective at several strengths and weights (m, K, d), from second moments; None where these lose too many
    digits, or where the residuals are not orthogonal to the features without a penalty.
    """
    penalty, strengths, WG = objective.penalty, strengths[:, None, None], gram.times(W)
    kinks = strengths * np.atleast_2d(penalty.kink)
    curvatures = strengths * np.atleast_2d(penalty.curvature)
    cW = np.einsum("kj,mkj->mk", gram.c, W)
    losses = 0.5 * (gram.variance + np.einsum("mkj,mkj->mk", WG, W)) - cW
    sure = (losses >= LEAST_LOSS_SHARE * gram.variance).all(axis=1)
    slopes = WG - gram.c
    sizes = np.abs(slopes)
    if (free := objective.unpenalized) is not None:
        norms = np.sqrt(2 * np.maximum(losses, 0)[..., None] * gram.variances[free])
        sure &= (sizes[..., free] <= BALANCED_COSINE * norms).all(axis=(1, 2))
        sizes[..., free] = 0
    loss, along_y = losses.sum(axis=1), (cW - gram.variance).sum(axis=1)
    values = loss + (kinks * np.abs(W) + 0.5 * curvatures * W * W).sum(axis=(1, 2))
    if curvatures.any():
        beyond = np.maximum(sizes - kinks, 0)
        ends = np.divide(beyond**2, 2 * curvatures, out=0 * beyond, where=curvatures > 0)
        gaps = values + (loss + along_y) + ends.sum(axis=(1, 2))
    else:
        over = np.where(sizes > 0, np.inf, 0.0)
        np.divide(sizes, kinks, out=over, where=kinks > 0)
        t = 1 / np.maximum(over.max(axis=(1, 2), initial=0), 1)
        gaps = values + (t**2 * loss + t * along_y)
    gaps = np.minimum(np.maximum(gaps, 0), values)  # at most the gap of s = 0
    certificates = relative(gaps, values, gram.variance.sum() / 2)
    seen = zip(values.tolist(), slopes, certificates.tolist(), strict=True)
    return [GramPoint(*own) if good else None for own, good in zip(seen, sure, strict=True)]
