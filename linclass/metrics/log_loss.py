"""Log loss: the mean of −ln p(y | x), in nats; p below 2.2·10⁻¹⁶ counts as that.

Without the floor one row that is wrong with certainty would make every mean infinite; with it such
a row costs 36 nats.
"""

import numpy as np

from linclass.metrics.predictions import Predictions

FLOOR = np.log(np.finfo(np.float64).eps)


def log_loss(p: Predictions) -> float | None:
    if p.log_proba is None or not len(p.y_true):
        return None
    of_truth = p.log_proba[np.arange(len(p.y_true)), p.y_true]
    return float(-np.maximum(of_truth, FLOOR).mean())


METRICS = {"log_loss": log_loss}
GREATER_IS_BETTER = False
