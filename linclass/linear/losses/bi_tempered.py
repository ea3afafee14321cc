"""Bi-tempered logistic loss of the margin m = y·z,  y ∈ {−1, +1}:

    ℓ(m) = −ln_{t1} p − (1 − p^{2−t1} − (1 − p)^{2−t1})/(2 − t1),

where p is the probability of the true class, the tempered softmax of the scores m and 0
(linear/losses/tempered_softmax.py, of which it is the loss for K = 2). For m → −∞ it tends to 1/(1 − t1), where the
logistic loss, that of t1 = t2 = 1, increases without a bound.
Amid, Warmuth, Anil & Koren (2019), NeurIPS; Murphy (2022), §10.4.2
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.linear.losses._tempered import log_tempered_probabilities
from linclass.linear.losses.base import MarginLoss
from linclass.linear.losses.tempered_softmax import TemperedSoftmax, check_temperatures


class BiTempered(MarginLoss):
    """The bi-tempered logistic loss.

    Parameters
    ----------
    t1 : float, default=0.8
        Temperature of the logarithm, from 0 to 1. Below 1 the loss is bounded.
    t2 : float, default=1.2
        Temperature of the softmax, from 1 to 10. Above 1 its tails are heavy.
    """

    kind = "smooth"
    convex = False
    vanishes = False
    has_conjugate = False
    joint = "tempered_softmax"

    def __init__(self, t1: float = 0.8, t2: float = 1.2):
        self.t1, self.t2 = t1, t2

    def check(self) -> None:
        check_temperatures(self.t1, self.t2)

    def value(self, m: Array) -> Array:
        return self._of_two(m)[0]

    def slope(self, m: Array) -> Array:
        return self._of_two(m)[1]

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, None]:
        value, slope = self._of_two(y * z)
        return value, y * slope, None

    def _of_two(self, m: Array) -> tuple[Array, Array]:
        """Value and slope, of the scores m of the true class and 0 of the other."""
        z = np.stack([m.ravel(), np.zeros(m.size)])
        true = np.zeros(m.size, dtype=int)
        values, slopes, _ = TemperedSoftmax(2, self.t1, self.t2).jet(true, z)
        return values.reshape(m.shape), slopes[0].reshape(m.shape)

    def log_probabilities(self, Z: Array) -> Array:
        return log_tempered_probabilities(Z, self.t2)
