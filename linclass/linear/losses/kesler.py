"""Perceptron loss of K scores  ℓ(z) = max_k z_k − z_y, zero if the true class has the largest score.

Kesler's construction turns K classes into two in a larger space, so the perceptron's bound on mistakes holds
there, too. A tie counts as a mistake.   Duda, Hart & Stork (2001), §5.12
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.linear.losses._lead import lead, rivals
from linclass.linear.losses.base import Loss


class Kesler(Loss):
    """The perceptron's loss for K classes.

    Parameters
    ----------
    n_classes : int, default=3
        Number of classes K.
    """

    kind = "convex"
    mistake_driven = True
    binary = "perceptron"
    has_conjugate = False

    def __init__(self, n_classes: int = 3):
        self.n_scores = self.n_classes = n_classes

    def margins(self, y: Array, z: Array) -> Array:
        return lead(y, z)

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
