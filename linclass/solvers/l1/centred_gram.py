"""Squared loss in terms of second moments:  with X_c = X − x̄, y_c = y − ȳ and Σw = 1

    G = X_cᵀ W X_c,   c = X_cᵀ W y_c,   Σ w ½r² = ½ Σ w y_c² − c·v + ½ vᵀG v,   X_cᵀ W r = G v − c.

G is computed for all features at once, or for those that are needed, and kept. Without an intercept nothing
is centred.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.applicability import require_memory
from linclass.design.second_moments import second_moments
from linclass.numerics import Array
from linclass.objective.objective import Objective

WHOLE = 500  # features up to which all of G is computed, if there are as many rows


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
        self._rows = np.empty((design.n_rows, 0))  # √w X_c of the known features, if dense
        self.G = np.empty((0, 0))  # of the known features

    def among(self, features: Array) -> Array:
        """G of these features."""
        new = features[self._place[features] < 0]
        if len(new):
            self._extend(new)
        place = self._place[features]
        return self.G[np.ix_(place, place)]

    def between(self, features: Any, feature: int) -> Array:
        """Column `feature` of G, at these features."""
        if self._place[feature] < 0:
            self._extend(np.array([feature]))
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

    def theta(self, W: Array) -> Array:
        """(…, K, d) → (…, K, d + 1), with the best intercept  b = ȳ − x̄·w."""
        if not self.design.intercept:
            return W
        theta = np.empty((*W.shape[:-1], W.shape[-1] + 1))
        theta[..., :-1], theta[..., -1] = W, self.y_mean - W @ self.mean
        return theta

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
        G[: len(known), : len(known)] = self.G
        G[:, len(known) :] = cross
        G[len(known) :, : len(known)] = cross[: len(known)].T
        self._place[new] = np.arange(len(known), m)
        self.known, self.G = np.append(known, new), G


def gram_of(objective: Objective) -> CentredGram:
    design = objective.design
    return CentredGram(objective, whole=design.n_features <= min(WHOLE, design.n_rows))
