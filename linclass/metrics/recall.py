"""Recall, the sensitivity: of the rows that belong to a class, the share that is predicted as it."""

from linclass.metrics.averages import averages
from linclass.metrics.predictions import Array


def ratio(right: Array, predicted: Array, actual: Array) -> tuple[Array, Array]:
    return right, actual


METRICS = averages("recall", ratio)
GREATER_IS_BETTER = True
BOUNDS = (0.0, 1.0)
