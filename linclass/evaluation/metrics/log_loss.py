"""Log loss: the mean of −ln p(y | x), in nats, with p bounded below by 2.2·10⁻¹⁶.

Without the bound a single row that is wrong with certainty would make the mean infinite; with it such a row costs
36 nats.
"""

import math

import numpy as np

from linclass.evaluation.metrics.predictions import Array, Predictions

FLOOR = np.log(np.finfo(np.float64).eps)


def log_loss(p: Predictions) -> Array:
    if p.log_proba is None:
        return p.undefined
    return -p.mean(np.maximum(p.log_proba.reshape(-1).take(p.of_truth), FLOOR))


METRICS = {"log_loss": log_loss}
GREATER_IS_BETTER = False
BOUNDS = (0.0, math.inf)
