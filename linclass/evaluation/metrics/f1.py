"""F1, the harmonic mean of precision and recall:  2·right / (predicted + actual)."""

from linclass.evaluation.metrics.averages import averages
from linclass.evaluation.metrics.predictions import Array


def f1_ratio(right: Array, predicted: Array, actual: Array) -> tuple[Array, Array]:
    return 2 * right, predicted + actual


METRICS = averages("f1", f1_ratio)
GREATER_IS_BETTER = True
BOUNDS = (0.0, 1.0)
