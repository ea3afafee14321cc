"""Softmax loss  ℓ(z) = ln Σ_k e^{z_k} − z_y  of K scores; with K = 2 the logistic loss of z₁ − z₀.

With P = softmax(z) its slope is P − e_y and its second derivative diag(P) − P Pᵀ, which is applied without
being formed. Scores are stored class by class, (K, n). With `reference=True` the last class has score 0 and
only K − 1 scores are free, which makes the parameters unique.
Hastie, Tibshirani & Friedman (2009), §4.4
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from linclass.base.numerics.arrays import Array
from linclass.linear.losses._lead import lead
from linclass.linear.losses.base import Loss


class Softmax(Loss):
    """The logistic loss for K classes.

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
        own, rows = self._own(y)
        values = np.log(total) + top
        values[rows] -= z[own, rows]
        slopes = P.copy(order="K")
        slopes[own, rows] -= 1
        return values, slopes, P

    def values(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[0]

    def slopes(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[1]

    def curvatures(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[2]

    def curve(self, curvatures: Array, v: Array) -> Array:
        """(diag(P) − P Pᵀ) v = P∘v − P·(P∘v summed over classes)."""
        Pv = curvatures * v
        Pv -= curvatures * Pv.sum(axis=0)
        return Pv

    def second(self, curvatures: Array, k: int, l: int) -> Array:
        """P_k (δ_kl − P_l)"""
        return curvatures[k] * ((k == l) - curvatures[l])

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

    def conjugates(self, y: Array, s: Array) -> Array:
        """Σ_k p_k ln p_k with p = s + e_y, a distribution over the classes."""
        p = s.copy()
        own, rows = self._own(y)
        p[own, rows] += 1
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
        own, rows = self._own(y)
        p = s.copy()
        p[own, rows] += 1
        total = weights.sum()
        now = p @ weights / total
        want = np.bincount(own, weights[rows], minlength=self.n_scores) / total
        if self.reference:
            now, want = np.append(now, 1 - now.sum()), np.append(want, 1 - want.sum())
        keep = min(1.0, np.min(want / np.maximum(now, 1e-300)))
        p *= keep
        p += (want - keep * now)[: self.n_scores, None]
        p[own, rows] -= 1
        return p

    def _own(self, y: Array) -> tuple[Array, Array]:
        """Indices of each row's true score, if it has one (the reference class has none)."""
        rows = np.arange(len(y))
        if self.reference:
            rows = rows[y < self.n_scores]
        return y[rows], rows
