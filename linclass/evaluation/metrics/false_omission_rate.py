"""False omission rate: of the rows not predicted as a class, the share that belongs to it.

It is 1 − negative predictive value.
"""

from linclass.evaluation.metrics.negative_predictive_value import negative_predictive_value
from linclass.evaluation.metrics.predictions import Array, Predictions


def false_omission_rate(p: Predictions) -> Array:
    return 1 - negative_predictive_value(p)


METRICS = {"false_omission_rate": false_omission_rate}
GREATER_IS_BETTER = False
BOUNDS = (0.0, 1.0)
