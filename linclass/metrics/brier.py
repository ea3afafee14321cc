"""Brier score: the mean squared error of the probabilities,  (1/n) Σ_i Σ_k (p_ik − 1[y_i = k])².

For two classes half of it, which is the error of the positive class alone, in [0, 1]; for more
it is in [0, 2].   Brier (1950)
"""

import numpy as np

from linclass.metrics.predictions import Predictions


def brier(p: Predictions) -> float | None:
    if p.log_proba is None or not len(p.y_true):
        return None
    error = np.exp(p.log_proba)
    error[np.arange(len(p.y_true)), p.y_true] -= 1
    total = np.einsum("ik,ik->", error, error) / len(p.y_true)
    return float(total / 2 if p.n_classes == 2 else total)


METRICS = {"brier": brier}
GREATER_IS_BETTER = False
