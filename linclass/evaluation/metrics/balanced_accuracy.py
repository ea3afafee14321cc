"""Balanced accuracy: the mean of the recalls of the classes that have rows; guessing has 1/K."""

from linclass.evaluation.metrics.predictions import Array, Predictions, defined_ratio


def balanced_accuracy(p: Predictions) -> Array:
    right, _, actual = p.per_class
    occurs = actual > 0
    recalls = right / (actual + ~occurs)  # 0 where no row is
    return defined_ratio(recalls.sum(axis=-1), occurs.sum(axis=-1))


METRICS = {"balanced_accuracy": balanced_accuracy}
GREATER_IS_BETTER = True
BOUNDS = (0.0, 1.0)
