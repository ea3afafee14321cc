"""Recall: of the rows that belong to a class, the share that is predicted as it."""

from linclass.metrics.averages import averages

METRICS = averages("recall", lambda right, predicted, actual: (right, actual))
GREATER_IS_BETTER = True
