"""Specificity: of the rows that do not belong to a class, the share that is predicted as another.

The recall of the rest; of the positive class when there are two, else the mean over the classes that occur.
"""

from linclass.evaluation.metrics.averages import one_number
from linclass.evaluation.metrics.predictions import Array, Predictions
from linclass.evaluation.metrics.recall import recall_ratio


def specificity(p: Predictions) -> Array:
    return one_number(recall_ratio, p, p.of_rest)


METRICS = {"specificity": specificity}
GREATER_IS_BETTER = True
BOUNDS = (0.0, 1.0)
