"""F1, the harmonic mean of precision and recall:  2·right / (predicted + actual)."""

from linclass.metrics.averages import averages

METRICS = averages("f1", lambda right, predicted, actual: (2 * right, predicted + actual))
GREATER_IS_BETTER = True
