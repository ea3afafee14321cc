"""Brier score: the mean squared error of the probabilities,  (1/n) Σ_i Σ_k (p_ik − 1[y_i = k])².

For two classes half of it, which is the error of the positive class alone, in [0, 1]; for more it is in [0, 2].
Brier (1950)
"""

import numpy as np

from linclass.evaluation.metrics.predictions import Array, Predictions


def brier(p: Predictions) -> Array:
    if p.log_proba is None:
        return p.undefined
    if p.n_classes == 2:
        error = p.log_proba[..., p.positive].copy()  # in place: half the time
        np.exp(error, out=error)
        error -= p.y_true == p.positive
        error *= error
        return p.mean(error)
    error = np.exp(p.log_proba, order="C")
    error.reshape(-1)[p.of_truth] -= 1
    return p.mean((error * error).sum(axis=-1))


METRICS = {"brier": brier}
GREATER_IS_BETTER = False
BOUNDS = (0.0, 2.0)
