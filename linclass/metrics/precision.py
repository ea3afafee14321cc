"""Precision: of the rows predicted as a class, the share that belongs to it."""

from linclass.metrics.averages import averages

METRICS = averages("precision", lambda right, predicted, actual: (right, predicted))
GREATER_IS_BETTER = True
