"""Losses of K scores z (K, n) and class codes y (n,)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.special import xlogy

from linclass.base.arrays import SMALLEST, Array
from linclass.linear.losses.base import LossByJet

# The nearest point of the simplex  {p ≥ 0, Σ p = 1},  the Euclidean projection on it.

FEW_CLASSES = 8  # up to which it does not pay to leave out the rows that are near a corner


def onto_simplex(v: Array) -> tuple[Array, Array]:
    """The nearest p ≥ 0 with Σ p = 1 to each column, max(v − t, 0), and where it varies with v, as several p_k > 0.

    t is the largest of (v_1 + … + v_k − 1)/k over the k largest v of a column: v_k itself is above it if and only if
    p_k > 0.   Held, Wolfe & Crowder (1974), Mathematical Programming 6
    """
    v = v - np.maximum.reduce(v)  # p is the same, with less cancellation
    if len(v) > FEW_CLASSES:
        near = v > -1  # else p_k is 0
        several = np.flatnonzero(np.count_nonzero(near, axis=0) > 1)
        if 2 * len(several) < v.shape[1]:
            p = near.astype(float)
            near[:] = False
            p[:, several], near[:, several] = onto_simplex(v[:, several])
            return p, near
    sums, t = np.zeros(v.shape[1]), np.full(v.shape[1], -np.inf)
    for k, largest in enumerate(np.sort(v, axis=0)[::-1], start=1):
        sums += largest
        np.maximum(t, (sums - 1) / k, out=t)
    p = v - t
    np.maximum(p, 0, out=p)
    moves = p > 0
    moves &= np.add.reduce(moves, axis=0) > 1
    return p, moves


def rivals(y: Array, z: Array) -> Array:
    """The scores with −∞ for the true class."""
    others = z.copy()
    others[y, np.arange(len(y))] = -np.inf
    return others


def lead(y: Array, z: Array) -> Array:
    """z_y − max_{k≠y} z_k, the lead of the true class over its rivals."""
    return z[y, np.arange(len(y))] - rivals(y, z).max(axis=0)


class LossOfScores(LossByJet):
    """A loss of K scores, which are those of K classes."""

    def __init__(self, n_classes: int = 3):
        self.n_scores = self.n_classes = n_classes

    def margins(self, y: Array, z: Array) -> Array:
        """z_y − max_{k≠y} z_k."""
        return lead(y, z)


class Softmax(LossByJet):
    """Softmax loss  ℓ(z) = ln Σ_k e^{z_k} − z_y  of K scores; with K = 2 the logistic loss of z₁ − z₀.

    With P = softmax(z) its slope is P − e_y and its second derivative diag(P) − P Pᵀ, which is applied without
    being formed. Scores are stored class by class, (K, n). With `reference=True` the last class has score 0 and
    only K − 1 scores are free, which makes the parameters unique.
    Hastie, Tibshirani & Friedman (2009), §4.4

    Parameters
    ----------
    n_classes : int, default=3
        Number of classes K.
    reference : bool, default=False
        Whether the last class has score 0 and no parameters.
    """

    smoothness = 1 / 2
    probabilistic = True
    canonical = True
    vanishes = False
    binary = "logistic"

    def __init__(self, n_classes: int = 3, reference: bool = False):
        self.n_classes = n_classes
        self.reference = reference
        self.n_scores = n_classes - reference
        self.shift_invariant = not reference

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array]:
        top = np.maximum.reduce(z, axis=0)
        if self.reference:
            np.maximum(top, 0, out=top)
        P = z - top
        np.exp(P, out=P)
        total = np.add.reduce(P, axis=0)
        if self.reference:
            total += np.exp(-top)
        P /= total
        true, rows = self._own(y)
        values = np.log(total) + top
        values[rows] -= z[true, rows]
        slopes = P.copy(order="K")
        slopes[true, rows] -= 1
        return values, slopes, P

    def curve(self, curvatures: Array, v: Array) -> Array:
        """(diag(P) − P Pᵀ) v = P∘v − P·(P∘v summed over classes)."""
        Pv = curvatures * v
        Pv -= curvatures * Pv.sum(axis=0)
        return Pv

    def hessian(self, B: Array, weights: Array, curvatures: Array) -> Array:
        """Blocks k, l are  δ_kl Bᵀ diag(w p_k) B − (p_k B)ᵀ diag(w) (p_l B): two products in all.

        Factors are stored feature by feature, along whose rows NumPy multiplies fastest.
        """
        K, width = len(curvatures), B.shape[1]
        root = np.multiply(B.T, np.sqrt(weights), order="C")
        P_root = (curvatures[:, None, :] * root).reshape(K * width, len(B))
        H = P_root @ P_root.T
        np.negative(H, out=H)
        diagonal = np.einsum("kikj->kij", H.reshape(K, width, K, width))  # a view of these blocks
        diagonal += (P_root @ root.T).reshape(K, width, width)
        return H

    def hessian_among(self, B: Array, weights: Array, curvatures: Array, free: Array) -> Array:
        """The same two products, of the features of the free entries."""
        if 2 * np.count_nonzero(free) > free.size:
            return super().hessian_among(B, weights, curvatures, free)
        k, j = np.nonzero(free)
        root = np.multiply(B.T[j], np.sqrt(weights), order="C")
        P_root = curvatures[k] * root
        H = P_root @ P_root.T
        np.negative(H, out=H)
        bounds = np.searchsorted(k, np.arange(len(free) + 1))
        for first, last in pairwise(bounds):
            H[first:last, first:last] += P_root[first:last] @ root[first:last].T
        return H

    def conjugates(self, y: Array, s: Array) -> Array:
        """Σ_k p_k ln p_k with p = s + e_y, a distribution over the classes."""
        p = s.copy()
        true, rows = self._own(y)
        p[true, rows] += 1
        if self.reference:
            p = np.vstack([p, 1 - p.sum(axis=0)])
        inside = (p >= -1e-15).all(axis=0) & (np.abs(p.sum(axis=0) - 1) < 1e-9)
        return np.where(inside, xlogy(p, np.maximum(p, 1e-300)).sum(axis=0), np.inf)

    def margins(self, y: Array, z: Array) -> Array:
        """z_y − max_{k≠y} z_k."""
        if self.reference:
            z = np.vstack([z, np.zeros(z.shape[1])])
        return lead(y, z)

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        """Mixes some distribution q into every p, so that the class totals are right.

        With π_k the weight of class k and π̂_k = Σ w p_k, the condition (1 − ε) π̂ + ε q = π requires
        q = (π − (1 − ε) π̂)/ε ≥ 0, which holds for 1 − ε ≤ min_k π_k/π̂_k.
        """
        true, rows = self._own(y)
        p = s.copy()
        p[true, rows] += 1
        total = weights.sum()
        now = p @ weights / total
        want = np.bincount(true, weights[rows], minlength=self.n_scores) / total
        if self.reference:
            now, want = np.append(now, 1 - now.sum()), np.append(want, 1 - want.sum())
        keep = min(1.0, np.min(want / np.maximum(now, 1e-300)))
        p *= keep
        p += (want - keep * now)[: self.n_scores, None]
        p[true, rows] -= 1
        return p

    def _own(self, y: Array) -> tuple[Array, Array]:
        """Indices of each row's true score, if it has one (the reference class has none)."""
        rows = np.arange(len(y))
        if self.reference:
            rows = rows[y < self.n_scores]
        return y[rows], rows


class Kesler(LossOfScores):
    """Perceptron loss of K scores  ℓ(z) = max_k z_k − z_y, zero if the true class has the largest score.

    Kesler's construction turns K classes into two in a larger space, so the perceptron's bound on mistakes holds
    there, too. A tie counts as a mistake.   Duda, Hart & Stork (2001), §5.12

    Parameters
    ----------
    n_classes : int, default=3
        Number of classes K.
    """

    kind = "convex"
    mistake_driven = True
    binary = "perceptron"
    has_conjugate = False

    def values(self, y: Array, z: Array) -> Array:
        return np.maximum(-self.margins(y, z), 0)

    def slopes(self, y: Array, z: Array) -> Array:
        """e_rival − e_y where the margin is not positive."""
        rows, rival = np.arange(len(y)), rivals(y, z).argmax(axis=0)
        wrong = (z[y, rows] <= z[rival, rows]).astype(float)
        s = np.zeros_like(z)
        s[rival, rows] += wrong
        s[y, rows] -= wrong
        return s


class CrammerSinger(LossOfScores):
    """Crammer and Singer's hinge loss of K scores  ℓ(z) = max_k (z_k + 1 − δ_ky) − z_y,  0 if z_y leads by 1.

    Only the nearest rival counts, where one against the rest counts K − 1 of them; for K = 2 it is the hinge
    loss of z_1 − z_0. Its conjugate is ℓ*(p − e_y) = p_y − 1 for p on the simplex, +∞ elsewhere.
    Crammer & Singer (2001), JMLR 2

    Parameters
    ----------
    n_classes : int, default=3
        Number of classes K.
    """

    kind = "convex"
    simplicial = True
    binary = "hinge"
    shift_invariant = True

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, None]:
        """Values, and slopes e_k − e_y, where k maximizes z_k + 1 − δ_ky; k = y in a tie."""
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
        p[y, rows] = true_share = s[y, rows] + 1
        inside = np.minimum.reduce(p) >= -1e-12
        inside &= np.abs(np.add.reduce(p) - 1) < 1e-9
        return np.where(inside, true_share - 1, np.inf)

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
        means = cv.sum(axis=0) / np.maximum(curvatures.sum(axis=0), SMALLEST)
        return cv - curvatures * means

    def hessian(self, B: Array, weights: Array, curvatures: Array) -> Array:
        """reach Σ_i w_i C_i ⊗ x_i x_iᵀ,  C = diag(a) − a aᵀ/Σa, over the rows in which several classes take part."""
        reach, rows = curvatures.max(initial=0), np.flatnonzero(curvatures.any(axis=0))
        return np.asarray(
            reach * curvature_of_ties(B[rows], weights[rows], curvatures[:, rows] > 0)
        )


def curvature_of_ties(B: Array, weights: Array, tied: Array) -> Array:
    """Σ_i w_i C_i ⊗ x_i x_iᵀ = D − AᵀA, with rows √(w_i/|A_i|) a_i ⊗ x_i of A and blocks Σ_i w_i a_ik x_i x_iᵀ of D.

    The columns a_i of `tied` mark the classes A_i that are tied in row i, and C_i = diag(a_i) − a_i a_iᵀ/|A_i|.
    """
    (K, _), width, w, a = tied.shape, B.shape[1], weights[:, None], tied.T
    A: Array = (a[:, :, None] * B[:, None, :]).reshape(len(B), K * width)
    D = (B * w).T @ A
    A *= np.sqrt(w / np.count_nonzero(a, axis=1)[:, None])
    S: Array = -(A.T @ A)
    each = np.arange(K)
    S.reshape(K, width, K, width)[each, :, each] += D.reshape(width, K, width).swapaxes(0, 1)
    return S
