"""Crammer and Singer's hinge loss of K scores  ℓ(z) = max_k (z_k + 1 − δ_ky) − z_y,  0 if z_y leads by 1.

Only the nearest rival counts, where one against the rest counts K − 1 of them; for K = 2 it is the hinge
loss of z_1 − z_0. Its conjugate is ℓ*(p − e_y) = p_y − 1 for p on the simplex, +∞ elsewhere.
Crammer & Singer (2001), JMLR 2
"""

from __future__ import annotations

import numpy as np

from linclass.losses.base import Loss
from linclass.losses.softmax import Softmax
from linclass.numerics import Array

DAMPING = 1e-7


class CrammerSinger(Loss):
    """The hinge loss of K classes together.

    Parameters
    ----------
    n_classes : int, default=3
        Number of classes K.
    reference : bool, default=False
        Not used: all classes have scores.
    """

    kind = "convex"
    simplicial = True
    binary = "hinge"
    shift_invariant = True

    def __init__(self, n_classes: int = 3, reference: bool = False):
        self.n_scores = self.n_classes = n_classes
        self.reference = reference

    def margins(self, y: Array, z: Array) -> Array:
        """z_y − max_{k≠y} z_k."""
        rows = np.arange(len(y))
        others = z.copy()
        others[y, rows] = -np.inf
        return z[y, rows] - others.max(axis=0)

    def values(self, y: Array, z: Array) -> Array:
        return np.maximum(1 - self.margins(y, z), 0)

    def slopes(self, y: Array, z: Array) -> Array:
        """e_k − e_y with k the largest of z_k + 1 − δ_ky, the true class if it is among them."""
        rows = np.arange(len(y))
        others = z.copy()
        others[y, rows] -= 1
        rival = others.argmax(axis=0)
        rival = np.where(others[y, rows] >= others[rival, rows], y, rival)
        s = np.zeros_like(z)
        s[rival, rows] += 1
        s[y, rows] -= 1
        return s

    def conjugates(self, y: Array, s: Array) -> Array:
        rows = np.arange(len(y))
        p = s.copy()
        p[y, rows] += 1
        inside = (p >= -1e-12).all(axis=0) & (np.abs(s.sum(axis=0)) < 1e-9)
        return np.where(inside, s[y, rows], np.inf)

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        """Mixes a little of one distribution into every p, as for softmax, whose p lie there too."""
        return Softmax(self.n_classes).balance(y, s, weights)

    def middle(self, y: Array) -> Array:
        """p uniform over the classes."""
        s = np.full((self.n_classes, len(y)), 1 / self.n_classes)
        s[y, np.arange(len(y))] -= 1
        return s

    def envelope(self, y: Array, centre: Array, reach: float) -> Loss:
        """ψ(z) = max_s s·z − ℓ*(s) − ‖s − centre‖²/(2·reach); its truths are row numbers."""
        return Envelope(self, y, centre, reach)


class Envelope(Loss):
    """The Crammer–Singer loss made smooth around slopes s⁰:  ψ′ = p − e_y,  p = Π(p⁰ + reach (z + 1 − e_y)),

    Π the projection on the simplex. ∂p/∂z = reach (diag(a) − a aᵀ/Σa), a marking the classes with p > 0;
    the others have DAMPING, so that Newton's steps are finite where no row moves an intercept.
    """

    shift_invariant = True

    def __init__(self, loss: CrammerSinger, codes: Array, centre: Array, reach: float):
        self.loss, self.codes, self.centre, self.reach = loss, codes, centre, reach
        self.n_scores = loss.n_scores

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array]:
        codes, s0, rows = self.codes[y], self.centre[:, y], np.arange(len(y))
        v = s0 + self.reach * (z + 1)
        v[codes, rows] += 1 - self.reach
        p = onto_simplex(v)
        s = p.copy()
        s[codes, rows] -= 1
        values = (
            (s * z).sum(axis=0) - s[codes, rows] - ((s - s0) ** 2).sum(axis=0) / (2 * self.reach)
        )
        return values, s, np.maximum(p > 0, DAMPING)

    def values(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[0]

    def slopes(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[1]

    def curvatures(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[2]

    def curve(self, curvatures: Array, v: Array) -> Array:
        a = curvatures
        return self.reach * a * (v - (a * v).sum(axis=0) / a.sum(axis=0))

    def second(self, curvatures: Array, k: int, l: int) -> Array:
        a = curvatures
        return self.reach * a[k] * ((k == l) - a[l] / a.sum(axis=0))

    def hessian(self, B: Array, weights: Array, curvatures: Array) -> Array:
        """Rows of one marked class have the same ∂p/∂z as all others of that class: one product for each class."""
        w, width, K = self.reach * weights, B.shape[1], len(curvatures)
        marked = curvatures == 1
        several = marked.sum(axis=0) > 1
        rows = np.flatnonzero(several)
        a, own = curvatures[:, rows], B[rows]
        AB = (a.T[:, :, None] * own[:, None, :]).reshape(len(own), K * width)
        diagonal = (own * w[rows, None]).T @ AB
        AB *= np.sqrt(w[rows] / a.sum(axis=0))[:, None]
        H = -(AB.T @ AB)
        blocks = H.reshape(K, width, K, width)
        for k in range(K):
            part = slice(k * width, (k + 1) * width)
            H[part, part] += diagonal[:, part]
            rows = np.flatnonzero(marked[k] & ~several)
            a_k = np.where(np.arange(K) == k, 1, DAMPING)
            turn = np.diag(a_k) - np.outer(a_k, a_k) / a_k.sum()
            blocks += turn[:, None, :, None] * ((B[rows] * w[rows, None]).T @ B[rows])[:, None]
        return H

    def conjugates(self, y: Array, s: Array) -> Array:
        far = ((s - self.centre[:, y]) ** 2).sum(axis=0) / (2 * self.reach)
        return self.loss.conjugates(self.codes[y], s) + far

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        return self.loss.balance(self.codes[y], s, weights)


def onto_simplex(v: Array) -> Array:
    """The nearest point of {p ≥ 0, Σ p = 1} to each column: max(v − t, 0) with one t each.

    Held, Wolfe & Crowder (1974), Math. Programming 6
    """
    near = v > v.max(axis=0) - 1  # elsewhere p is 0
    p = near.astype(float)
    several = np.flatnonzero(near.sum(axis=0) > 1)
    v = v[:, several]
    falling = -np.sort(-v, axis=0)
    level = (falling.cumsum(axis=0) - 1) / np.arange(1, len(v) + 1)[:, None]
    last = (falling > level).sum(axis=0) - 1
    p[:, several] = np.maximum(v - level[last, np.arange(v.shape[1])], 0)
    return p
