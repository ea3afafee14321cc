"""Crammer and Singer's hinge loss of K scores  ℓ(z) = max_k (z_k + 1 − δ_ky) − z_y,  0 if z_y leads by 1.

Only the nearest rival counts, where one against the rest counts K − 1 of them; for K = 2 it is the hinge
loss of z_1 − z_0. Its conjugate is ℓ*(p − e_y) = p_y − 1 for p on the simplex, +∞ elsewhere.
Crammer & Singer (2001), JMLR 2
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.base.numerics.simplex_projection import onto_simplex
from linclass.linear.losses._lead import lead
from linclass.linear.losses.base import Loss
from linclass.linear.losses.softmax import Softmax

TINY = np.finfo(float).tiny


class CrammerSinger(Loss):
    """The hinge loss of K classes together.

    Parameters
    ----------
    n_classes : int, default=3
        Number of classes K.
    """

    kind = "convex"
    simplicial = True
    binary = "hinge"
    shift_invariant = True

    def __init__(self, n_classes: int = 3):
        self.n_scores = self.n_classes = n_classes

    def margins(self, y: Array, z: Array) -> Array:
        """z_y − max_{k≠y} z_k."""
        return lead(y, z)

    def values(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[0]

    def slopes(self, y: Array, z: Array) -> Array:
        """e_k − e_y with k the largest of z_k + 1 − δ_ky, the true class if it is among them."""
        return self.jet(y, z)[1]

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, None]:
        rows = np.arange(len(y))
        others = z.copy()
        others[y, rows] -= 1
        rival = others.argmax(axis=0)
        values = others[rival, rows] - others[y, rows]
        s = np.zeros_like(z)
        s[np.where(values > 0, rival, y), rows] = 1
        s[y, rows] -= 1
        return values, s, None

    def conjugates(self, y: Array, s: Array) -> Array:
        p, rows = s.copy(), np.arange(len(y))
        p[y, rows] = own = s[y, rows] + 1
        inside = np.minimum.reduce(p) >= -1e-12
        inside &= np.abs(np.add.reduce(p) - 1) < 1e-9
        return np.where(inside, own - 1, np.inf)

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        """Mixes a little of one distribution into every p, as for softmax, whose p lie there too."""
        return Softmax(self.n_classes).balance(y, s, weights)

    def middle(self, y: Array) -> Array:
        """p uniform over the classes."""
        s = np.full((self.n_classes, len(y)), 1 / self.n_classes)
        s[y, np.arange(len(y))] -= 1
        return s

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """p − e_y with p the point of the simplex nearest to v + (1 − reach) e_y; p varies where several p_k > 0."""
        rows = np.arange(len(y))
        v = v.copy()
        v[y, rows] += 1 - reach
        s, moves = onto_simplex(v)
        s[y, rows] -= 1
        return s, moves

    def curve(self, curvatures: Array, v: Array) -> Array:
        """∂p/∂z v = reach (diag(a) − a aᵀ/Σa) v, a marking the classes with p_k > 0, if they are several."""
        cv = curvatures * v
        means = cv.sum(axis=0) / np.maximum(curvatures.sum(axis=0), TINY)
        return cv - curvatures * means

    def second(self, curvatures: Array, k: int, l: int) -> Array:
        """reach a_k (δ_kl − a_l/Σa)"""
        total = np.maximum(curvatures.sum(axis=0), TINY)
        return np.asarray(curvatures[k] * ((k == l) - curvatures[l] / total))

    def hessian(self, B: Array, weights: Array, curvatures: Array) -> Array:
        """Block k, l is  Bᵀ diag(w ∂²ℓ/∂z_k∂z_l) B, of the rows in which both classes take part."""
        K, width = len(curvatures), B.shape[1]
        H = np.zeros((K, width, K, width))
        for k in range(K):
            for l in range(k + 1):
                D = weights * self.second(curvatures, k, l)
                rows = np.flatnonzero(D)
                block = (B[rows].T * D[rows]) @ B[rows]
                H[k, :, l], H[l, :, k] = block, block.T
        return H.reshape(K * width, K * width)

    def may_move(
        self, y: Array, slopes: Array, scores: Array, reach: float | Array, by: float
    ) -> Array:
        """Mask (K, n) of classes with p_k > 0, or that would have if the scores changed by ±by/(2·reach)."""
        rows = np.arange(len(y))
        v = slopes + reach * scores
        v[y, rows] += 1 - reach
        taking_part = v > v.max(axis=0) - (1 + by)
        taking_part |= slopes > 0
        taking_part[y, rows] |= slopes[y, rows] > -1
        return taking_part

    def on_pairs(self, y: Array, rows: Array, classes: Array) -> tuple[Loss, Array]:
        """(loss, its y) of the scores of some classes of every row, one after another, sorted by rows."""
        return ClassPairs.of_rows(rows), (classes == y[rows]).astype(float)


class ClassPairs(Loss):
    """The same loss as a function of one score for each pair of a row and a class that takes part.

    y is 1 for the true class of a row, else 0, and values, slopes and conjugates of pairs add up to those of their
    row. ∂p/∂z = reach (diag(a) − a aᵀ/Σa), a marking the classes of a row with p_k > 0, if they are several.
    """

    shift_invariant = True

    def __init__(self, starts: Array, of: Array):
        self.starts, self.of = starts, of  # first pair of every row, and row of every pair

    @classmethod
    def of_rows(cls, rows: Array) -> ClassPairs:
        first = np.diff(rows, prepend=-1) != 0
        return cls(np.flatnonzero(first), first.cumsum() - 1)

    def sums(self, v: Array) -> Array:
        """Σ v over the pairs of each row."""
        return np.add.reduceat(v, self.starts)

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        p, moves = self.onto_simplex(v + (1 - reach) * y)
        return p - y, moves

    def conjugates(self, y: Array, s: Array) -> Array:
        return y * s

    def curve(self, curvatures: Array, v: Array) -> Array:
        cv = curvatures * v
        means = self.sums(cv) / np.maximum(self.sums(curvatures), TINY)
        return cv - curvatures * means[self.of]

    def onto_simplex(self, v: Array) -> tuple[Array, Array]:
        """The nearest p ≥ 0 with Σ p = 1 in each row, max(v − t, 0) with one t a row, and where p varies with v."""
        near = np.flatnonzero(v > np.maximum.reduceat(v, self.starts)[self.of] - 1)  # else p is 0
        p, moves = np.zeros_like(v), np.zeros(len(v), dtype=bool)
        p[near] = 1
        near = near[np.bincount(self.of[near])[self.of[near]] > 1]
        if len(near):
            p[near], moves[near] = ClassPairs.of_rows(self.of[near])._above_level(v[near])
        return p, moves

    def _above_level(self, v: Array) -> tuple[Array, Array]:
        """t is that of the classes left, of which those with v ≤ t drop out.   Michelot (1986), JOTA 50"""
        left, count, before = np.ones(len(v), dtype=bool), len(v), -1
        while count != before:
            sizes = self.sums(left.astype(float))
            t = (self.sums(np.where(left, v, 0)) - 1) / sizes
            above = v - t[self.of]
            left &= above > 0
            count, before = int(np.count_nonzero(left)), count
        return np.where(left, above, 0), left & (sizes > 1)[self.of]
