"""Matthews' correlation of prediction and truth; for K classes Gorodkin's R_K.

R_K = (n·Σ_k C_kk − Σ_k p_k t_k) / √(Σ_k p_k (n − p_k) · Σ_k t_k (n − t_k)), with C the confusion matrix, p_k the number
of rows predicted as class k and t_k those that are of it. It is 0 if predictions or truth are constant.
Gorodkin (2004)
"""

import numpy as np

from linclass.evaluation.metrics.predictions import Array, Predictions


def matthews(p: Predictions) -> Array:
    C = p.confusion.astype(np.float64)
    predicted, actual = C.sum(axis=-2), C.sum(axis=-1)
    n = actual.sum(axis=-1)
    both = (predicted[..., : p.n_classes] * actual).sum(axis=-1)
    covariance = n * np.trace(C, axis1=-2, axis2=-1) - both
    spread = np.sqrt(_spread(predicted) * _spread(actual))
    value = np.divide(covariance, spread, out=np.zeros(p.shape), where=spread > 0)
    return np.where(n > 0, np.clip(value, -1, 1), np.nan)[()]


def _spread(count: Array) -> Array:
    """Σ_k c_k (n − c_k), which is exactly 0 of a constant, whatever the weights."""
    return (count * (count.sum(axis=-1, keepdims=True) - count)).sum(axis=-1)


METRICS = {"matthews": matthews}
GREATER_IS_BETTER = True
BOUNDS = (-1.0, 1.0)
