"""Squared loss in terms of features, not rows:  with X_c = X − x̄, y_c = y − ȳ and Σw = 1

    G = X_cᵀ W X_c,   c = X_cᵀ W y_c,   Σ w ½r² = ½ Σ w y_c² − c·v + ½ vᵀG v,   X_cᵀ W r = G v − c.

G is worked out of all features at once, or of those that are asked for, and kept. Without an
intercept nothing is centred.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linclass.applicability import require_memory
from linclass.certificate import TINY
from linclass.numerics import Array
from linclass.objective import Objective

DIGITS = 1e-6  # a loss below this share of that of v = 0 has lost too many in its formula


class Look(NamedTuple):
    value: float
    slopes: Array  # of the loss, (K, d)
    certificate: float  # relative duality gap


class CentredGram:
    def __init__(self, objective: Objective):
        design, w, Y = objective.design, objective.weights, np.atleast_2d(objective.y)
        self.design, self.weights = design, w
        d = design.n_features
        self.y_mean = Y @ w if design.intercept else np.zeros(len(Y))
        Y = Y - self.y_mean[:, None]
        self.mean = design.XT @ w if design.intercept else np.zeros(d)
        self.c = design.pull(w * Y)[:, :d] - np.outer(Y @ w, self.mean)
        self.variance = Y**2 @ w
        self._place = np.full(d, -1)  # of a feature in G
        self._known = np.empty(0, int)
        self._rows = np.empty((design.n_rows, 0))  # √w X_c of the known, when dense
        self._G = np.empty((0, 0))

    @property
    def complete(self) -> bool:
        return len(self._known) == self.design.n_features

    def all(self) -> None:
        """Work out all of G."""
        d = self.design.n_features
        self.mean, self._G = self.design.centred_gram(self.weights)
        self._known = self._place = np.arange(d)

    def among(self, features: Array) -> Array:
        """G of these features."""
        new = features[self._place[features] < 0]
        if len(new):
            self._extend(new)
        place = self._place[features]
        return self._G[np.ix_(place, place)]

    def between(self, features: Array, feature: int) -> Array:
        """Its column of G, at these features."""
        self.among(np.array([feature]))
        return self._G[self._place[features], self._place[feature]]

    def times(self, v: Array) -> Array:
        """G v, by the rows where not all of G is there."""
        if self.complete:
            return (self._G @ v[self._known])[self._place]
        ends = [-(self.mean @ v)] * self.design.intercept
        z = self.design.scores(np.append(v, ends))
        return self.design.pull(self.weights * z)[: len(v)]

    def theta(self, W: Array) -> Array:
        """(K, d) → (K, d + 1), with the best intercept  b = ȳ − x̄·w."""
        if not self.design.intercept:
            return W
        return np.column_stack([W, self.y_mean - W @ self.mean])

    def look(self, objective: Objective, W: Array) -> Look | None:
        """Value, slopes and gap without the rows; None where too few digits would be left."""
        WG = W @ self._G
        loss = 0.5 * self.variance - (self.c * W).sum(axis=1) + 0.5 * (WG * W).sum(axis=1)
        if not (loss >= DIGITS * self.variance).all():
            return None
        penalty, strength = objective.penalty, objective.strength
        slopes = WG - self.c
        value = float(loss.sum()) + strength * penalty.value(W)
        # the dual point is the residual r, brought into the domain of penalty*
        U = slopes / -strength
        shrink = penalty.into_domain(U)
        along_y = float(((self.c * W).sum(axis=1) - self.variance).sum())  # Σ w r y_c
        dual = -(shrink**2) * float(loss.sum()) - shrink * along_y
        dual -= strength * penalty.conjugate(shrink * U)
        return Look(value, slopes, max(value - dual, 0.0) / max(abs(value), TINY))

    def _extend(self, new: Array) -> None:
        known, design = self._known, self.design
        m = len(known) + len(new)
        require_memory(16 * m * m, f"quadratic_program needs a dense {m} × {m} Gram matrix")
        if design.is_sparse:
            X = design.XT[np.append(known, new)]
            cross = ((X * self.weights) @ X[len(known) :].T).toarray()
            cross -= np.outer(self.mean[np.append(known, new)], self.mean[new])
        else:
            B = (design.X[:, new] - self.mean[new]) * np.sqrt(self.weights)[:, None]
            self._rows = np.hstack([self._rows, B])
            cross = self._rows.T @ B
        G = np.empty((m, m))
        G[: len(known), : len(known)] = self._G
        G[:, len(known) :] = cross
        G[len(known) :, : len(known)] = cross[: len(known)].T
        self._place[new] = np.arange(len(known), m)
        self._known, self._G = np.append(known, new), G
