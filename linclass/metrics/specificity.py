"""Specificity: of the rows that do not belong to a class, the share that is predicted as another.

The recall of the rest; of the positive class when there are two, else the mean over the classes that occur.
"""

from linclass.metrics import recall
from linclass.metrics.averages import one_number
from linclass.metrics.predictions import Array, Predictions


def specificity(p: Predictions) -> Array:
    return one_number(recall.ratio, p, p.of_rest)


METRICS = {"specificity": specificity}
GREATER_IS_BETTER = True
BOUNDS = (0.0, 1.0)
