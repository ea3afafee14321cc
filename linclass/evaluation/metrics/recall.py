"""Recall, the sensitivity: of the rows that belong to a class, the share that is predicted as it."""

from linclass.evaluation.metrics.averages import averages
from linclass.evaluation.metrics.predictions import Array


def recall_ratio(right: Array, predicted: Array, actual: Array) -> tuple[Array, Array]:
    return right, actual


METRICS = averages("recall", recall_ratio)
GREATER_IS_BETTER = True
BOUNDS = (0.0, 1.0)
