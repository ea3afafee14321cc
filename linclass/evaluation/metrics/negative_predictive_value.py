"""Negative predictive value: of the rows not predicted as a class, the share that does not belong to it.

The precision of the rest; of the positive class when there are two, else the mean over the classes that occur.
"""

from linclass.evaluation.metrics.averages import one_number
from linclass.evaluation.metrics.precision import precision_ratio
from linclass.evaluation.metrics.predictions import Array, Predictions


def negative_predictive_value(p: Predictions) -> Array:
    return one_number(precision_ratio, p, p.of_rest)


METRICS = {"negative_predictive_value": negative_predictive_value}
GREATER_IS_BETTER = True
BOUNDS = (0.0, 1.0)
