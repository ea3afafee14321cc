"""Squared loss in terms of second moments:  with X_c = X − x̄, y_c = y − ȳ and Σw = 1

    G = X_cᵀ W X_c,   c = X_cᵀ W y_c,   Σ w ½r² = ½ Σ w y_c² − c·v + ½ vᵀG v,   X_cᵀ W r = G v − c.

G is computed for all features at once, or for those that are needed, and kept. Without an intercept nothing
is centred.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linclass.applicability import require_memory
from linclass.design.second_moments import second_moments
from linclass.numerics import Array
from linclass.objective.gap import gap_of, relative
from linclass.objective.objective import Objective

WHOLE = 500  # features up to which all of G is computed, if there are as many rows
BALANCED = 1e-12  # cosine of residuals and a feature without a penalty, up to which it is rounding
DIGITS = 1e-6  # of the loss at v = 0: below it the formula loses too many digits


class GramPoint(NamedTuple):
    """The objective at some weights."""

    value: float
    slopes: Array  # of the loss, (K, d)
    certificate: float  # relative duality gap


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
            self.mean, self._G, self.c = second_moments(design, w, Y)
            return
        self.mean = design.centre(w)
        self.c = design.pull(w * Y)[:, :d] - np.outer(Y @ w, self.mean)
        self._rows = np.empty((design.n_rows, 0))  # √w X_c of the known features, if dense
        self._G = np.empty((0, 0))

    def among(self, features: Array) -> Array:
        """G of these features."""
        new = features[self._place[features] < 0]
        if len(new):
            self._extend(new)
        place = self._place[features]
        return self._G[np.ix_(place, place)]

    def between(self, features: Any, feature: int) -> Array:
        """Column `feature` of G, at these features."""
        if self._place[feature] < 0:
            self._extend(np.array([feature]))
        return self._G[self._place[feature]][self._place[features]]  # G = Gᵀ

    def times(self, v: Array) -> Array:
        """G v; by products with the rows if not all of G is known."""
        if self.whole:
            return self._G @ v
        ends = [-(self.mean @ v)] * self.design.intercept
        z = self.design.scores(np.append(v, ends))
        pulled = self.design.pull(self.weights * z)
        if ends:  # z has the mean 0 but for rounding, which a column far from 0 would magnify
            pulled[:-1] -= pulled[-1] * self.mean
        return pulled[: len(v)]

    def theta(self, W: Array) -> Array:
        """(K, d) → (K, d + 1), with the best intercept  b = ȳ − x̄·w."""
        if not self.design.intercept:
            return W
        theta = np.empty((len(W), W.shape[1] + 1))
        theta[:, :-1], theta[:, -1] = W, self.y_mean - W @ self.mean
        return theta

    def at(self, objective: Objective, W: Array, WG: Array | None = None) -> GramPoint | None:
        """Value, slopes and gap from second moments; None if that loses too many digits, or if the residuals are
        not orthogonal to the features without a penalty.
        """
        WG = W @ self._G if WG is None else WG
        cW = np.einsum("kj,kj->k", self.c, W)
        losses = 0.5 * (self.variance + np.einsum("kj,kj->k", WG, W)) - cW
        if not (losses >= DIGITS * self.variance).all():
            return None
        penalty, strength, loss = objective.penalty, objective.strength, float(losses.sum())
        slopes = WG - self.c
        value = loss + strength * penalty.value(W)
        # the dual point is the residual r, brought into the domain of penalty*
        free = objective.unpenalized
        if free is not None:
            sizes = np.sqrt(2 * losses[:, None] * np.einsum("jj->j", self._G)[free])
            if (np.abs(slopes[:, free]) > BALANCED * sizes).any():
                return None
        U = objective.feasible(slopes / -strength)
        shrink = penalty.into_domain(U)
        along_y = float((cW - self.variance).sum())  # Σ w r y_c
        conjugates = shrink**2 * loss + shrink * along_y
        gap = gap_of(value, conjugates, strength * penalty.conjugate(shrink * U))
        return GramPoint(value, slopes, float(relative(gap, value, self.variance.sum() / 2)))

    def _extend(self, new: Array) -> None:
        known, design = self.known, self.design
        m = len(known) + len(new)
        require_memory(16 * m * m, f"quadratic_program needs a dense {m} × {m} Gram matrix")
        if design.is_sparse:
            both = np.append(known, new)
            cross = design.gram_between(both, new, self.weights)
            cross -= np.outer(self.mean[both], self.mean[new])
        else:
            B = design.columns(new, self.mean, np.sqrt(self.weights))
            self._rows = np.hstack([self._rows, B])
            cross = self._rows.T @ B
        G = np.empty((m, m))
        G[: len(known), : len(known)] = self._G
        G[:, len(known) :] = cross
        G[len(known) :, : len(known)] = cross[: len(known)].T
        self._place[new] = np.arange(len(known), m)
        self.known, self._G = np.append(known, new), G


def gram_of(objective: Objective) -> CentredGram:
    design = objective.design
    return CentredGram(objective, whole=design.n_features <= min(WHOLE, design.n_rows))


def evaluated(
    objective: Objective, gram: CentredGram, W: Array, WG: Array | None = None
) -> GramPoint:
    """By second moments if all are known, else by products with the rows."""
    seen = gram.at(objective, W, WG) if gram.whole and objective.strength else None
    if seen is not None:
        return seen
    point = objective.at(gram.theta(W).reshape(objective.shape))
    slopes = np.atleast_2d(objective.weight_part(point.loss_gradient))
    return GramPoint(point.value, slopes, objective.certificate(point))
