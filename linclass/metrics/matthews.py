"""Matthews' correlation of prediction and truth; for K classes Gorodkin's R_K.

R_K = (n·Σ_k C_kk − Σ_k p_k t_k) / √((n² − Σ p_k²)(n² − Σ t_k²)), with C the confusion matrix, p_k
how often class k is predicted and t_k how often it is true. 0 where one of the two never varies:
a constant is not correlated with anything.   Gorodkin (2004)
"""

import numpy as np

from linclass.metrics.predictions import Predictions


def matthews(p: Predictions) -> float | None:
    C = p.confusion.astype(np.float64)
    predicted, actual, n = C.sum(axis=0), C.sum(axis=1), C.sum()
    if n == 0:
        return None
    both = predicted[: len(actual)] @ actual
    spread = np.sqrt((n**2 - predicted @ predicted) * (n**2 - actual @ actual))
    return float((n * C.trace() - both) / spread) if spread > 0 else 0.0


METRICS = {"matthews": matthews}
GREATER_IS_BETTER = True
