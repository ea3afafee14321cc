"""Metrics of the predicted classes, from the confusion matrix C_ij, the rows of class i that are predicted as class j.

    accuracy              share of the rows whose class is predicted
    balanced_accuracy     mean of the recalls of the classes that have rows; 1/K by guessing
    precision             of the rows predicted as a class, the share that belongs to it
    recall                of the rows that belong to a class, the share that is predicted as it
    f1                    harmonic mean of precision and recall, 2·right/(predicted + actual)
    specificity           recall of the rest: of the rows of other classes, the share that is predicted as another
    negative_predictive_value    precision of the rest
    false_discovery_rate         1 − precision
    false_omission_rate          1 − negative predictive value
    matthews              correlation of prediction and truth, for K classes Gorodkin's R_K; 0 if either is constant:
                          (n·Σ_k C_kk − Σ_k p_k t_k) / √(Σ_k p_k (n − p_k) · Σ_k t_k (n − t_k))
    expected_cost         mean cost of the decisions, (1/n) Σ_i L[a_i, y_i], under the data set's risk matrix `costs:`;
                          NaN without one

Ratios such as precision are those of the positive class if there are two classes, and otherwise the macro average, the
mean over the classes that occur. Precision, recall and F1 have further averages:

    _macro       that mean, for two classes, too
    _weighted    the mean weighted by the number of rows of each class
    _micro       the ratio of the sums over all classes

A class occurs if it is true or predicted for some row. A class that occurs with a zero denominator (never predicted, so
without precision) counts 0, since leaving it out would reward never predicting it. NaN if no class occurs.
Gorodkin (2004), Computational Biology and Chemistry 28; Duda, Hart & Stork (2001), §2.2
"""

from collections.abc import Callable

import numpy as np

from linclass.evaluation.metrics.predictions import Array, Metric, Predictions, defined_ratio

Counts = tuple[Array, Array, Array]  # right, predicted, actual
Ratio = Callable[[Array, Array, Array], tuple[Array, Array]]  # of the counts → (over, under)

RATIOS: dict[str, Ratio] = {
    "precision": lambda right, predicted, actual: (right, predicted),
    "recall": lambda right, predicted, actual: (right, actual),
    "f1": lambda right, predicted, actual: (2 * right, predicted + actual),
}


def accuracy(p: Predictions) -> Array:
    return p.mean(p.y_true == p.y_pred)


def balanced_accuracy(p: Predictions) -> Array:
    right, _, actual = p.per_class
    occurs = actual > 0
    recalls = right / (actual + ~occurs)  # 0 where no row is
    return defined_ratio(recalls.sum(axis=-1), occurs.sum(axis=-1))


def matthews(p: Predictions) -> Array:
    C = p.confusion.astype(np.float64)
    predicted, actual = C.sum(axis=-2), C.sum(axis=-1)
    n = actual.sum(axis=-1)
    both = (predicted[..., : p.n_classes] * actual).sum(axis=-1)
    covariance = n * np.trace(C, axis1=-2, axis2=-1) - both
    spread = np.sqrt(_spread(predicted) * _spread(actual))
    value = np.divide(covariance, spread, out=np.zeros(p.shape), where=spread > 0)
    return np.where(n > 0, np.clip(value, -1, 1), np.nan)[()]


def _spread(count: Array) -> Array:
    """Σ_k c_k (n − c_k), which is exactly 0 of a constant, whatever the weights."""
    return (count * (count.sum(axis=-1, keepdims=True) - count)).sum(axis=-1)


def expected_cost(p: Predictions) -> Array:
    if p.costs is None:
        return p.undefined
    costs, C = np.asarray(p.costs, dtype=np.float64), p.confusion
    actions = C.shape[-1]
    if actions > len(costs):
        raise ValueError(
            f"y_pred is {actions - 1}; the risk matrix has {len(costs)} actions, 0 … {len(costs) - 1}."
        )
    return defined_ratio((C * costs[:actions].T).sum(axis=(-2, -1)), C.sum(axis=(-2, -1)))


def _one_number(ratio: Ratio, p: Predictions, counts: Counts) -> Array:
    """The ratio of the positive class, or its mean over classes; `counts` are p.per_class or p.of_rest."""
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
    # sums of weights in another order may differ in their last bit
    return np.minimum(defined_ratio((each * actual).sum(axis=-1), actual.sum(axis=-1)), 1)


def _micro(ratio: Ratio, p: Predictions) -> Array:
    right, predicted, actual = (count.sum(axis=-1) for count in p.per_class)
    return np.minimum(defined_ratio(*ratio(right, predicted, actual)), 1)


def _averages(name: str, ratio: Ratio) -> dict[str, Metric]:
    return {
        name: Metric(lambda p: _one_number(ratio, p, p.per_class)),
        f"{name}_macro": Metric(lambda p: _macro(ratio, p, p.per_class)),
        f"{name}_weighted": Metric(lambda p: _weighted(ratio, p)),
        f"{name}_micro": Metric(lambda p: _micro(ratio, p)),
    }


def specificity(p: Predictions) -> Array:
    return _one_number(RATIOS["recall"], p, p.of_rest)


def negative_predictive_value(p: Predictions) -> Array:
    return _one_number(RATIOS["precision"], p, p.of_rest)


METRICS = {
    "accuracy": Metric(accuracy),
    "balanced_accuracy": Metric(balanced_accuracy),
    **_averages("precision", RATIOS["precision"]),
    **_averages("recall", RATIOS["recall"]),
    **_averages("f1", RATIOS["f1"]),
    "specificity": Metric(specificity),
    "negative_predictive_value": Metric(negative_predictive_value),
    "false_discovery_rate": Metric(
        lambda p: 1 - _one_number(RATIOS["precision"], p, p.per_class), greater_is_better=False
    ),
    "false_omission_rate": Metric(
        lambda p: 1 - negative_predictive_value(p), greater_is_better=False
    ),
    "matthews": Metric(matthews, bounds=(-1.0, 1.0)),
    "expected_cost": Metric(expected_cost, greater_is_better=False, bounds=(-np.inf, np.inf)),
}
