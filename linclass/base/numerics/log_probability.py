"""Log-probabilities from scores:  ln p_k = z_k − ln Σ_j e^{z_j},  for two classes  ln σ(±z).

All computations are in logarithms, so a probability of 10⁻⁴⁰⁰ does not underflow, and scores of ±∞ (a class of prior
0, an overflow far outside the data) give 0 or −∞, never NaN. The largest score is kept out of the sum,
ln Σ = z_max + ln(1 + Σ_others), so 1 − p is exact even if p is nearly 1.
"""

import numpy as np
from scipy.special import log_expit


def log_softmax(Z: np.ndarray) -> np.ndarray:
    """ln p of each row of Z (n, K). Several scores of +∞ share the probability."""
    first = Z.argmax(axis=1) + np.arange(0, Z.size, Z.shape[1])  # in Z.ravel()
    top = Z.take(first)[:, None]
    if np.isfinite(top).all():
        below = Z - top
    else:
        with np.errstate(invalid="ignore"):  # ∞ − ∞, where the two are equal
            below = np.where(top == Z, 0.0, Z - top)
    others = np.exp(below)
    others.put(first, 0)
    below -= np.log1p(others @ np.ones(Z.shape[1]))[:, None]  # faster than sum(axis=1)
    return below


def from_scores(Z: np.ndarray) -> np.ndarray:
    """ln p (n, K) from a decision function: (n,) log-odds of two classes, or (n, K) scores."""
    if Z.ndim == 1:
        return np.stack([log_expit(-Z), log_expit(Z)], axis=1)
    return log_softmax(Z)
