"""False discovery rate: of the rows predicted as a class, the share that does not belong to it; 1 − precision.

A class that occurs and is never predicted has precision 0, so here it counts 1.
"""

from linclass.evaluation.metrics.averages import one_number
from linclass.evaluation.metrics.precision import precision_ratio
from linclass.evaluation.metrics.predictions import Array, Predictions


def false_discovery_rate(p: Predictions) -> Array:
    return 1 - one_number(precision_ratio, p, p.per_class)


METRICS = {"false_discovery_rate": false_discovery_rate}
GREATER_IS_BETTER = False
BOUNDS = (0.0, 1.0)
