"""Balanced accuracy: the mean of the recalls of the classes that occur; guessing earns 1/K."""

from linclass.metrics.predictions import Predictions


def balanced_accuracy(p: Predictions) -> float | None:
    right, _, actual = p.per_class
    occurs = actual > 0
    return float((right[occurs] / actual[occurs]).mean()) if occurs.any() else None


METRICS = {"balanced_accuracy": balanced_accuracy}
GREATER_IS_BETTER = True
