"""Bi-tempered logistic loss of K scores, the Bregman divergence of a tempered softmax p from the true class y:

    ℓ(z) = −ln_{t1} p_y − (1 − Σ_k p_k^{2−t1})/(2 − t1),     p_k = exp_{t2}(z_k − λ(z)).

For t1 < 1 no row costs more than 1/(1 − t1), and for t2 > 1 rows that are wrong by far pull less, so mislabelled
rows near and far from the boundary have little influence. The price is that the loss is not convex, unless
t1 = t2 = 1, where it is the softmax loss: a minimum that is found may be one of several. With the escort distribution
q_k = p_k^{t2}/Σ p^{t2}, the gradient of λ, the slope is  a_k − q_k Σ a,  a = (p − e_y) p^{t2−t1}.
Amid, Warmuth, Anil & Koren (2019), NeurIPS; Murphy (2022), §10.4.2
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.base.parameter_types import is_number
from linclass.linear.losses._lead import lead
from linclass.linear.losses._tempered import (
    log_tempered_probabilities,
    log_tempered_softmax,
    tempered_log,
)
from linclass.linear.losses.base import Loss

SMALL = 1e-5  # probabilities of the other classes, up to which differences would lose digits
HEAVIEST = 10  # t2: λ of K equal scores grows as K^{t2 − 1}, beside which scores lose their digits


class TemperedSoftmax(Loss):
    """The bi-tempered logistic loss for K classes.

    Parameters
    ----------
    n_classes : int, default=3
        Number of classes K.
    t1 : float, default=0.8
        Temperature of the logarithm, from 0 to 1. Below 1 the loss is bounded.
    t2 : float, default=1.2
        Temperature of the softmax, from 1 to 10. Above 1 its tails are heavy.
    """

    kind = "smooth"
    convex = False
    vanishes = False
    has_conjugate = False
    binary = "bi_tempered"
    shift_invariant = True

    def __init__(self, n_classes: int = 3, t1: float = 0.8, t2: float = 1.2):
        self.n_classes = self.n_scores = n_classes
        self.t1, self.t2 = t1, t2

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, None]:
        own, log_p = (y, np.arange(len(y))), log_tempered_softmax(z, self.t2)
        p = np.exp(log_p)
        p[own] = 0
        wrong = p.sum(axis=0)  # 1 − p_y, which may be far below the rounding of p_y
        others = np.exp((2 - self.t1) * log_p)
        others[own] = 0
        values = self._of_own(log_p[own], wrong) + others.sum(axis=0) / (2 - self.t1)
        p[own] = -wrong  # p − e_y
        slopes = p * np.exp((self.t2 - self.t1) * log_p)
        escort = np.exp(self.t2 * log_p)
        slopes -= escort * (slopes.sum(axis=0) / escort.sum(axis=0))
        slopes[own] = 0  # that of the true class is minus the others, where its own terms cancel
        slopes[own] = -slopes.sum(axis=0)
        return values, slopes, None

    def _of_own(self, log_p: Array, wrong: Array) -> Array:
        """−ln_{t1} p − (1 − p^{2−t1})/(2 − t1)  of the true class, with 1 − p = wrong."""
        t, minus = self.t1, -tempered_log(log_p, self.t1)
        series = t * wrong * wrong * (0.5 + (1 + t) * wrong / 6)  # but for wrong⁴
        beyond = np.where(wrong < SMALL, series, minus - wrong)  # ≥ 0
        return (beyond + (1 - t) * wrong * minus) / (2 - t)

    def values(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[0]

    def slopes(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[1]

    def margins(self, y: Array, z: Array) -> Array:
        """z_y − max_{k≠y} z_k."""
        return lead(y, z)

    def log_probabilities(self, Z: Array) -> Array:
        return log_tempered_probabilities(Z, self.t2)

    def check(self) -> None:
        check_temperatures(self.t1, self.t2)


def check_temperatures(t1: float, t2: float) -> None:
    if not (is_number(t1) and 0 <= t1 <= 1):
        raise ValueError(f"t1 is {t1!r}; it must be a number from 0 to 1.")
    if not (is_number(t2) and 1 <= t2 <= HEAVIEST):
        raise ValueError(f"t2 is {t2!r}; it must be a number from 1 to {HEAVIEST}.")
