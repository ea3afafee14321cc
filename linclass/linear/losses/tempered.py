"""The bi-tempered logistic loss. Its tempered logarithm, exponential and softmax are the usual ones at t = 1:

    ln_t(x) = (x^{1−t} − 1)/(1 − t),   exp_t(u) = (1 + (1 − t) u)^{1/(1−t)},   p_k = exp_t(z_k − λ),  Σ_k p_k = 1.

For t > 1 the probabilities of low scores decrease like a power and not exponentially. The functions below compute
ln p, which neither under- nor overflows.
Naudts (2002), Physica A 316; Amid, Warmuth, Anil & Koren (2019), NeurIPS
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array
from linclass.base.parameters import is_number
from linclass.linear.losses.base import MarginLoss
from linclass.linear.losses.multiclass import LossOfScores

NEWTON_TOLERANCE = 1e-9  # of a Newton step: the error that it leaves is of the order of its square
MAX_NEWTON_STEPS = 100  # far more than any scores need


def tempered_log(log_x: Array, t: float) -> Array:
    """ln_t(x) of ln x."""
    return np.expm1((1 - t) * log_x) / (1 - t) if t != 1 else log_x


def log_tempered_exp(u: Array, t: float) -> Array:
    """ln exp_t(u) for u ≤ 0 and t ≥ 1."""
    return np.log1p((1 - t) * u) / (1 - t) if t != 1 else u


def log_tempered_softmax(z: Array, t: float) -> Array:
    """ln p for scores (K, n) and t ≥ 1.

    With λ = max z + δ, (Σ p)^{1−t} is a power mean of the 1 + (t − 1)(λ − z_k), a concave increasing function of δ, so
    Newton's steps for Σ p = 1 begin at δ = 0, on the left of the root, and never pass it. At t = 1, or if all scores
    are equal, the first step is exact. The largest p is kept out of the sum, so 1 − p keeps its digits if p is
    nearly 1.
    """
    first = z.argmax(axis=0), np.arange(z.shape[1])
    below = z - z[first]
    delta = np.zeros(z.shape[1])
    for _ in range(MAX_NEWTON_STEPS):
        log_p = log_tempered_exp(below - delta, t)
        p = np.exp(log_p)
        p[first] = np.expm1(log_p[first])
        excess = p.sum(axis=0)  # Σ p − 1
        step = tempered_log(np.log1p(excess), 2 - t) * (1 + excess) / np.exp(t * log_p).sum(axis=0)
        delta += step
        if t == 1 or (np.abs(step) <= NEWTON_TOLERANCE * (1 + delta)).all():
            break
    return log_tempered_exp(below - delta, t)


def log_tempered_probabilities(Z: Array, t: float) -> Array:
    """ln p (n, K) from scores (n, K), or from one score (n,) of the second of two classes."""
    z = np.stack([np.zeros(len(Z)), Z]) if Z.ndim == 1 else Z.T
    return np.ascontiguousarray(log_tempered_softmax(z, t).T)


SERIES_BELOW = 1e-5  # probabilities of the other classes, up to which differences would lose digits
MAX_T2 = 10  # t2: λ of K equal scores grows as K^{t2 − 1}, beside which scores lose their digits


class TemperedSoftmax(LossOfScores):
    """Bi-tempered logistic loss of K scores, the Bregman divergence of a tempered softmax p from the true class y:

        ℓ(z) = −ln_{t1} p_y − (1 − Σ_k p_k^{2−t1})/(2 − t1),     p_k = exp_{t2}(z_k − λ(z)).

    For t1 < 1 no row costs more than 1/(1 − t1), and for t2 > 1 rows that are wrong by far pull less, so mislabelled
    rows near and far from the boundary have little influence. The price is that the loss is not convex, unless t1 =
    t2 = 1, where it is the softmax loss: a minimum that is found may be one of several. With the escort distribution
    q_k = p_k^{t2}/Σ p^{t2}, the gradient of λ, the slope is  a_k − q_k Σ a,  a = (p − e_y) p^{t2−t1}. Amid, Warmuth,
    Anil & Koren (2019), NeurIPS; Murphy (2022), §10.4.2

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
        super().__init__(n_classes)
        self.t1, self.t2 = t1, t2

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, None]:
        true, log_p = (y, np.arange(len(y))), log_tempered_softmax(z, self.t2)
        p = np.exp(log_p)
        p[true] = 0
        wrong = p.sum(axis=0)  # 1 − p_y, which may be far below the rounding of p_y
        others = np.exp((2 - self.t1) * log_p)
        others[true] = 0
        values = self._value(log_p[true], wrong) + others.sum(axis=0) / (2 - self.t1)
        p[true] = -wrong  # p − e_y
        slopes = p * np.exp((self.t2 - self.t1) * log_p)
        escort = np.exp(self.t2 * log_p)
        slopes -= escort * (slopes.sum(axis=0) / escort.sum(axis=0))
        slopes[true] = 0  # that of the true class is minus the others, where its terms cancel
        slopes[true] = -slopes.sum(axis=0)
        return values, slopes, None

    def _value(self, log_p: Array, wrong: Array) -> Array:
        """−ln_{t1} p − (1 − p^{2−t1})/(2 − t1)  of the true class, with 1 − p = wrong."""
        t, minus = self.t1, -tempered_log(log_p, self.t1)
        series = t * wrong * wrong * (0.5 + (1 + t) * wrong / 6)  # but for wrong⁴
        beyond = np.where(wrong < SERIES_BELOW, series, minus - wrong)  # ≥ 0
        return (beyond + (1 - t) * wrong * minus) / (2 - t)

    def log_probabilities(self, Z: Array) -> Array:
        return log_tempered_probabilities(Z, self.t2)

    def check(self) -> None:
        check_temperatures(self.t1, self.t2)


def check_temperatures(t1: float, t2: float) -> None:
    if not (is_number(t1) and 0 <= t1 <= 1):
        raise ValueError(f"t1 is {t1!r}; it must be a number from 0 to 1.")
    if not (is_number(t2) and 1 <= t2 <= MAX_T2):
        raise ValueError(f"t2 is {t2!r}; it must be a number from 1 to {MAX_T2}.")


class BiTempered(MarginLoss):
    """Bi-tempered logistic loss of the margin m = y·z,  y ∈ {−1, +1}:

        ℓ(m) = −ln_{t1} p − (1 − p^{2−t1} − (1 − p)^{2−t1})/(2 − t1),

    where p is the probability of the true class, the tempered softmax of the scores m and 0
    (it is `TemperedSoftmax` for K = 2). For m → −∞ it tends to 1/(1 − t1), where the
    logistic loss, that of t1 = t2 = 1, increases without a bound.
    Amid, Warmuth, Anil & Koren (2019), NeurIPS; Murphy (2022), §10.4.2

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
