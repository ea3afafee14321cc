"""One ratio per class, such as hits/predictions, made into one number.

two classes   the ratio of the positive class
more classes  the macro average: the mean over the classes that occur
_macro        that mean, for two classes too
_weighted     the mean weighted by how many rows each class has
_micro        the ratio of the sums over all classes

A class that occurs but has a zero denominator (never predicted: no precision) counts 0; to leave
it out would flatter a classifier that gives it up. Without any rows to speak of: None.
"""

from collections.abc import Callable

import numpy as np

from linclass.metrics.predictions import Predictions

Ratio = Callable[..., tuple[np.ndarray, np.ndarray]]  # (right, predicted, actual) → (over, under)


def averages(name: str, ratio: Ratio) -> dict[str, Callable[[Predictions], float | None]]:
    """The metric `name` and its averages."""
    return {
        name: lambda p: _positive(ratio, p) if p.n_classes == 2 else _macro(ratio, p),
        f"{name}_macro": lambda p: _macro(ratio, p),
        f"{name}_weighted": lambda p: _weighted(ratio, p),
        f"{name}_micro": lambda p: _micro(ratio, p),
    }


def _of_each_class(ratio: Ratio, p: Predictions) -> np.ndarray:
    over, under = ratio(*p.per_class)
    return over / np.maximum(under, 1)


def _positive(ratio: Ratio, p: Predictions) -> float | None:
    _, predicted, actual = (count[p.positive] for count in p.per_class)
    return float(_of_each_class(ratio, p)[p.positive]) if predicted + actual > 0 else None


def _macro(ratio: Ratio, p: Predictions) -> float | None:
    _, predicted, actual = p.per_class
    occurs = predicted + actual > 0
    return float(_of_each_class(ratio, p)[occurs].mean()) if occurs.any() else None


def _weighted(ratio: Ratio, p: Predictions) -> float | None:
    _, _, actual = p.per_class
    return float(_of_each_class(ratio, p) @ actual / actual.sum()) if actual.any() else None


def _micro(ratio: Ratio, p: Predictions) -> float | None:
    over, under = ratio(*(np.array([count.sum()]) for count in p.per_class))
    return float(over[0] / under[0]) if under[0] > 0 else None
