"""Isotonic calibration: the nondecreasing function of the score that is nearest to the classes of held-out rows,

    f = argmin Σ w_i (t_i − f(z_i))²,   z_i ≤ z_j ⇒ f(z_i) ≤ f(z_j),   t = 1 for the class, else 0.

f is the projection of t onto a convex cone, constant on blocks of neighbouring scores, where it is the mean of t.
Between blocks it is interpolated linearly, and beyond the ends it is constant. Two classes share one function;
K classes have one each, against the rest, and their probabilities are divided by their sum.

A probability of 0 or 1 would have an infinite score: it is kept ε = 2.2·10⁻¹⁶ away from them.
Zadrozny & Elkan (2002), KDD; Ayer et al. (1955), Annals of Mathematical Statistics 26, on the algorithm
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linclass.base.arrays import Array

EPSILON = float(np.finfo(float).eps)


class Increasing(NamedTuple):
    """A nondecreasing function, by the scores at the ends of its blocks and its values there."""

    scores: Array
    values: Array

    def __call__(self, z: Array) -> Array:
        return np.asarray(np.interp(z, self.scores, self.values))


class IsotonicFunctions:
    """One function for two classes, K for K."""

    status, reason = "converged", ""  # in finitely many steps

    def __init__(self, Z: Array, codes: Array, weights: Array):
        """Z (n, K) scores of held-out rows; −z/2 and z/2 for two classes."""
        K = Z.shape[1]
        scores = Z[:, 1:] - Z[:, :1] if K == 2 else Z
        own = range(1, 2) if K == 2 else range(K)
        targets = [(codes == k).astype(float) for k in own]
        self.functions = [isotonic(z, t, weights) for z, t in zip(scores.T, targets, strict=True)]
        self.fitted = {"functions_": self.functions}

    def decision(self, Z: Array) -> Array:
        """Log-odds (n,) of two classes; for more the logarithms (n, K) of what is divided by its sum."""
        if len(self.functions) == 1:
            p = np.clip(self.functions[0](Z[:, 1] - Z[:, 0]), EPSILON, 1 - EPSILON)
            return np.asarray(np.log(p) - np.log1p(-p))
        P = np.column_stack([f(z) for f, z in zip(self.functions, Z.T, strict=True)])
        return np.asarray(np.log(np.maximum(P, EPSILON)))


def isotonic(z: Array, t: Array, weights: Array) -> Increasing:
    """The projection; rows of equal score have one value."""
    at, place = np.unique(z, return_inverse=True)
    mass = np.bincount(place, weights)
    values, first, last = pooled(np.bincount(place, weights * t) / mass, mass)
    ends = np.unique(np.r_[first, last])
    block = np.searchsorted(last, ends)
    return Increasing(at[ends], values[block])


def pooled(t: Array, weights: Array) -> tuple[Array, Array, Array]:
    """(values, first, last) of the blocks of the nondecreasing sequence nearest to t: adjacent violators are pooled.

    A block that is not above the one before it is merged with it, into their mean; each merge removes a block, so
    the cost is linear.
    """
    values: list[float] = []
    masses: list[float] = []
    first: list[int] = []
    for i, (value, mass) in enumerate(zip(t.tolist(), weights.tolist(), strict=True)):
        begin = i
        while values and values[-1] >= value:
            before, m = values.pop(), masses.pop()
            value, mass = (m * before + mass * value) / (m + mass), m + mass
            begin = first.pop()
        values.append(value)
        masses.append(mass)
        first.append(begin)
    return np.array(values), np.array(first), np.array([*first[1:], len(t)]) - 1
