"""Accuracy: the share of the rows whose class is predicted."""

from linclass.metrics.predictions import Predictions


def accuracy(p: Predictions) -> float | None:
    right, _, actual = p.per_class
    return float(right.sum() / actual.sum()) if actual.any() else None


METRICS = {"accuracy": accuracy}
GREATER_IS_BETTER = True
