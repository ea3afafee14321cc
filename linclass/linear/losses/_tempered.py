"""Tempered logarithm, exponential and softmax, which at t = 1 are the usual ones:

    ln_t(x) = (x^{1−t} − 1)/(1 − t),     exp_t(u) = (1 + (1 − t) u)^{1/(1−t)},     p_k = exp_t(z_k − λ),  Σ_k p_k = 1.

For t > 1 the probabilities of low scores decrease like a power and not exponentially. All are of logarithms, ln p, so
none under- or overflows.   Naudts (2002), Physica A 316; Amid, Warmuth, Anil & Koren (2019), NeurIPS
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array

NEAR = 1e-9  # of a Newton step: the error that it leaves is of the order of its square
STEPS = 100  # far more than any scores need


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
    for _ in range(STEPS):
        log_p = log_tempered_exp(below - delta, t)
        p = np.exp(log_p)
        p[first] = np.expm1(log_p[first])
        excess = p.sum(axis=0)  # Σ p − 1
        step = tempered_log(np.log1p(excess), 2 - t) * (1 + excess) / np.exp(t * log_p).sum(axis=0)
        delta += step
        if t == 1 or (np.abs(step) <= NEAR * (1 + delta)).all():
            break
    return log_tempered_exp(below - delta, t)


def log_tempered_probabilities(Z: Array, t: float) -> Array:
    """ln p (n, K) from scores (n, K), or from one score (n,) of the second of two classes."""
    z = np.stack([np.zeros(len(Z)), Z]) if Z.ndim == 1 else Z.T
    return np.ascontiguousarray(log_tempered_softmax(z, t).T)
