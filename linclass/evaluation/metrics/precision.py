"""Precision, the positive predictive value: of the rows predicted as a class, the share that belongs to it."""

from linclass.evaluation.metrics.averages import averages
from linclass.evaluation.metrics.predictions import Array


def precision_ratio(right: Array, predicted: Array, actual: Array) -> tuple[Array, Array]:
    return right, predicted


METRICS = averages("precision", precision_ratio)
GREATER_IS_BETTER = True
BOUNDS = (0.0, 1.0)
