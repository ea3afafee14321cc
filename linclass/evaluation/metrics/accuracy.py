"""Accuracy: the share of the rows whose class is predicted."""

from linclass.evaluation.metrics.predictions import Array, Predictions


def accuracy(p: Predictions) -> Array:
    return p.mean(p.y_true == p.y_pred)


METRICS = {"accuracy": accuracy}
GREATER_IS_BETTER = True
BOUNDS = (0.0, 1.0)
