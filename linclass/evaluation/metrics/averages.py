"""Averages over classes of a ratio such as hits/predictions.

two classes   the ratio of the positive class
more classes  the macro average: the mean over the classes that occur
_macro        that mean, for two classes, too
_weighted     the mean weighted by the number of rows of each class
_micro        the ratio of the sums over all classes

A class occurs if it is true or predicted for some row. A class that occurs with a zero denominator (never predicted, so
without precision) counts 0, since leaving it out would reward never predicting it. NaN if no class occurs.
"""

from collections.abc import Callable

import numpy as np

from linclass.evaluation.metrics.predictions import Array, Predictions, defined_ratio

Counts = tuple[Array, Array, Array]  # right, predicted, actual
Ratio = Callable[[Array, Array, Array], tuple[Array, Array]]  # of the counts → (over, under)


def averages(name: str, ratio: Ratio) -> dict[str, Callable[[Predictions], Array]]:
    """The metric `name` and its averages."""
    return {
        name: lambda p: one_number(ratio, p, p.per_class),
        f"{name}_macro": lambda p: _macro(ratio, p, p.per_class),
        f"{name}_weighted": lambda p: _weighted(ratio, p),
        f"{name}_micro": lambda p: _micro(ratio, p),
    }


def one_number(ratio: Ratio, p: Predictions, counts: Counts) -> Array:
    """Of the positive class, or the mean over classes; `counts` are p.per_class or p.of_rest."""
    if p.n_classes > 2:
        return _macro(ratio, p, counts)
    defined = (counts[1] + counts[2])[..., p.positive] > 0
    return np.where(defined, _of_each_class(ratio, counts)[..., p.positive], np.nan)[()]


def _of_each_class(ratio: Ratio, counts: Counts) -> Array:
    over, under = ratio(*counts)
    return np.divide(over, under, out=np.zeros(over.shape), where=under > 0)


def _macro(ratio: Ratio, p: Predictions, counts: Counts) -> Array:
    _, predicted, actual = p.per_class
    occurs = (predicted + actual > 0) & (counts[1] + counts[2] > 0)
    each = _of_each_class(ratio, counts)
    return defined_ratio(np.where(occurs, each, 0).sum(axis=-1), occurs.sum(axis=-1))


def _weighted(ratio: Ratio, p: Predictions) -> Array:
    _, _, actual = p.per_class
    each = _of_each_class(ratio, p.per_class)
    return _at_most_one(defined_ratio((each * actual).sum(axis=-1), actual.sum(axis=-1)))


def _micro(ratio: Ratio, p: Predictions) -> Array:
    right, predicted, actual = (count.sum(axis=-1) for count in p.per_class)
    return _at_most_one(defined_ratio(*ratio(right, predicted, actual)))


def _at_most_one(value: Array) -> Array:
    """Sums of weights in another order may differ in their last bit."""
    return np.minimum(value, 1)
