"""Scores of fits on held-out rows; greater is better.

accuracy        share of the rows whose class is predicted
log_loss        mean of ln P(y | x), with P at least 2.2·10⁻¹⁶, also where the fit has not seen the class
squared_error   minus the mean of (y − ŷ)²

Classifiers may also be scored by any other metric, with its sign changed if less is better. The second of two classes
is the positive one. The parameters of a function decide how it is called: as a metric or a scorer of scikit-learn, or
with the fit, the rows, their classes and their weights.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.base import clone

from linclass.base.arrays import Array, EstimatorLike, MatrixLike
from linclass.base.parameters import as_number
from linclass.base.predicted import Outputs
from linclass.evaluation import metrics
from linclass.evaluation.metrics.predictions import Predictions

PREDICTIONS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score")
FLOOR = float(np.log(np.finfo(float).eps))  # least log-probability of a class

Score = Callable[[Any, Any, Array, Array | None], float]


def accuracy(model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None) -> float:
    return float(np.average(np.asarray(model.predict(X)) == y, weights=weights))


def log_likelihood(model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None) -> float:
    with np.errstate(divide="ignore"):
        if hasattr(model, "predict_log_proba"):
            log_proba = np.asarray(model.predict_log_proba(X))
        else:
            log_proba = np.log(model.predict_proba(X))
    column = np.minimum(np.searchsorted(model.classes_, y), log_proba.shape[1] - 1)
    of_truth = np.maximum(log_proba[np.arange(len(y)), column], FLOOR)
    seen = model.classes_[column] == y
    return float(np.average(np.where(seen, of_truth, FLOOR), weights=weights))


def check_metric(metric: Any, own: Mapping[str, Score]) -> None:
    """Raise ValueError unless `metric` is a function, a name in `own`, or for classifiers a metric of linclass."""
    if callable(metric):
        if not (isinstance(metric, type) or len(_leading(metric)) < 2):
            return
        raise ValueError(
            f"scoring is {metric!r}; give a function of (y_true, y_pred) or of (estimator, X, y, sample_weight), or a "
            "scorer."
        )
    if isinstance(metric, str) and metric in own:
        return
    classifies = own is OF_CLASSIFIERS
    if not (classifies and isinstance(metric, str)):
        known = ", ".join(metrics.names() if classifies else own)
        raise ValueError(f"scoring is {metric!r}; choose from {known}, or give a function.")
    if _needs(metric) is None:
        raise ValueError(
            f"scoring {metric!r} needs costs; give a function of the fitted estimator."
        )


def score_of(metric: Any, own: Mapping[str, Score]) -> Score:
    """The function that judges a fit on held-out rows."""
    if callable(metric):
        return _of_function(metric, own)
    if metric in own:
        return own[metric]
    value, sign = metrics.find(metric), 1 if metrics.greater_is_better(metric) else -1

    def score(model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None) -> float:
        return sign * float(value(_predictions(model, X, y, weights)))

    return score


def _parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """Name of each parameter of a function → its kind."""
    try:
        return {name: p.kind for name, p in inspect.signature(function).parameters.items()}
    except ValueError:  # compiled
        return dict.fromkeys("abcd", inspect.Parameter.POSITIONAL_ONLY)


def _leading(function: Callable[..., Any]) -> list[str]:
    """Names of the positional parameters, four for `*args`."""
    of_place = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = _parameters(function)
    more = ["*"] * 4 if inspect.Parameter.VAR_POSITIONAL in parameters.values() else []
    return [name for name, kind in parameters.items() if kind in of_place] + more


def _is_of_labels(function: Any) -> bool:
    """Whether the function is f(y_true, y_pred), as scikit-learn's metrics are; others get the fit first."""
    leading = _leading(function)
    return len(leading) == 2 or (len(leading) > 2 and leading[0].startswith("y"))


def _imported(function: Callable[..., Any]) -> Any:
    module = import_module("linclass.evaluation.metrics._imported")  # few fits need it
    return module.ImportedMetric(function)


def _of_function(function: Callable[..., Any], own: Mapping[str, Score]) -> Score:
    """The score that calls a function of the user."""
    names, of_labels = _parameters(function), _is_of_labels(function)
    by_name = "sample_weight" in names or inspect.Parameter.VAR_KEYWORD in names.values()
    if not (of_labels or by_name) and len(_leading(function)) > 3:
        return function
    judging = _parameters(getattr(function, "_score_func", function))  # inside a scorer
    weighs = "sample_weight" in judging or inspect.Parameter.VAR_KEYWORD in judging.values()
    if of_labels:
        metric = _imported(function)
        if metric.is_named_like_a_cost and not metric.tells_direction:
            warnings.warn(
                f"scoring {metric.path!r} is named like a cost, but greater values count as better. Set "
                f"{metric.path}.greater_is_better = False, or True if greater is better.",
                UserWarning,
                stacklevel=2,
            )

    def score(model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None) -> float:
        if weights is not None and not weighs:
            raise ValueError(
                f"scoring is {function!r}, which takes no sample_weight, but the rows have weights; give one that "
                "takes it, or leave the weights out."
            )
        known = weights is not None or "sample_weight" in names
        given = {"sample_weight": weights} if known else {}
        if not of_labels:
            return as_number(function(model, X, y, **given), f"scoring {function!r}")
        metric = _imported(function)
        if own is OF_CLASSIFIERS:
            value = metric.value(_predictions(model, X, y, weights))
        else:
            value = as_number(
                function(y, np.asarray(model.predict(X)), **given), f"scoring {function!r}"
            )
        return value if metric.greater_is_better else -value

    return score


def _predictions(
    model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None
) -> Predictions:
    """Codes, scores and probabilities of all classes that the fit or the rows have."""
    classes = np.union1d(model.classes_, y)

    def output_of(name: str) -> Any:
        method = getattr(model, name, None)
        with np.errstate(divide="ignore"):  # ln 0 of other libraries
            found: Any = None if method is None else method(X)
        return np.searchsorted(classes, found) if name == "predict" else found

    codes = np.searchsorted(classes, model.classes_)
    coded = SimpleNamespace(classes_=codes, get_params=model.get_params)
    outputs = Outputs(coded, output_of, len(y), len(classes))
    score, log_proba = outputs.scores(), outputs.log_proba()
    if score is None:
        score = np.full((len(y), len(classes)), np.nan) if log_proba is None else log_proba
    truth = np.searchsorted(classes, y)
    return Predictions(truth, outputs.codes(), score, log_proba, 1, weights)


def _needs(metric: str) -> bool | None:
    """Whether a metric needs probabilities; None if it is not defined even with them."""
    if "." in metric:  # of another library, called with predicted rows alone
        return False
    y, value = np.array([0, 1]), metrics.find(metric)
    log_proba = np.log([[0.75, 0.25], [0.25, 0.75]])
    with_them = value(Predictions(y, y, log_proba, log_proba, 1))
    without = value(Predictions(y, y, log_proba, None, 1))
    return None if np.isnan(with_them) else bool(np.isnan(without))


def check_probabilities(
    metric: Any, estimator: EstimatorLike, options: Sequence[Mapping[str, Any]]
) -> None:
    """Raise ValueError unless the estimator has the probabilities that a metric needs, with every option."""
    if callable(metric):
        needs = _is_of_labels(metric) and _imported(metric).responses == ("predict_proba",)
    else:
        needs = metric not in OF_REGRESSORS and bool(_needs(metric))
    if not needs:
        return
    for option in options:
        model = clone(estimator).set_params(**option)
        if not (hasattr(model, "predict_log_proba") or hasattr(model, "predict_proba")):
            raise ValueError(
                f"scoring is {metric!r}, but {model!r} has no probabilities; use scoring='accuracy', or "
                "Calibrated."
            )


def squared_error(model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None) -> float:
    return -float(np.average((y - model.predict(X)) ** 2, weights=weights))


OF_CLASSIFIERS: dict[str, Score] = {"accuracy": accuracy, "log_loss": log_likelihood}
OF_REGRESSORS: dict[str, Score] = {"squared_error": squared_error}
