"""The bi-tempered loss from its definition, a row at a time: the normalizer by bisection, no logarithms of p."""

import numpy as np
from scipy.optimize import brentq


def tempered_exp(u, t):
    return np.exp(u) if t == 1 else np.maximum(1 + (1 - t) * u, 0) ** (1 / (1 - t))


def tempered_ln(x, t):
    return np.log(x) if t == 1 else (x ** (1 - t) - 1) / (1 - t)


def probabilities_of_row(z, t):
    """exp_t(z − λ) with the λ for which they sum to 1."""
    farthest = -float(tempered_ln(np.array(1 / len(z)), t))  # where all scores are equal
    low, high = z.max() - 1e-3, z.max() + 1.001 * farthest
    lam = brentq(lambda lam: tempered_exp(z - lam, t).sum() - 1, low, high, xtol=1e-15)
    return tempered_exp(z - lam, t)


def divergence(y, p, t):
    """Bregman's, of F(p) = Σ p ln_t p − p^{2−t}/(2 − t), whose gradient is ln_t p, between distributions."""
    some = y > 0
    of_y = (y[some] * (tempered_ln(y[some], t) - tempered_ln(p[some], t))).sum()
    return float(of_y - (y ** (2 - t) - p ** (2 - t)).sum() / (2 - t))


def losses_of_rows(Z, y, t1, t2):
    """Of scores (n, K) and class codes."""
    own = np.eye(Z.shape[1])[y]
    return np.array(
        [divergence(e, probabilities_of_row(z, t2), t1) for z, e in zip(Z, own, strict=True)]
    )
