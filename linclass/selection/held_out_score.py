"""What candidates are judged by on held-out rows; greater is better.

accuracy        share of the rows whose class is predicted
log_loss        mean of ln P(y | x), with P at least 2.2·10⁻¹⁶, also where the fit has not seen the class
squared_error   minus the mean of (y − ŷ)²

Classifiers may also be judged by any other metric of linclass/metrics, with its sign changed where less is better. Of
two classes the second is the positive one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import SimpleNamespace
from typing import Any

import numpy as np

from linclass import metrics
from linclass.annotations import EstimatorLike, MatrixLike
from linclass.conventions.cloned import cloned
from linclass.conventions.offsets import offset_for
from linclass.conventions.predicted import Outputs
from linclass.metrics.predictions import Predictions
from linclass.numerics.arrays import Array

PREDICTIONS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score")
FLOOR = float(np.log(np.finfo(float).eps))

Score = Callable[[Any, Any, Array, Array | None], float]


class AtOffset:
    """A fit that predicts rows whose offset is known."""

    def __init__(self, fit: EstimatorLike, offset: Array):
        self._fit, self._offset = fit, offset

    def __getattr__(self, name: str) -> Any:
        if name in ("_fit", "_offset"):  # of a copy that is not filled yet
            raise AttributeError(name)
        found = getattr(self._fit, name)
        if name not in PREDICTIONS:
            return found

        @wraps(found)
        def at_offset(*args: Any, **given: Any) -> Any:
            return found(*args, **given, **offset_for(found, self._offset))

        return at_offset


def held_out_accuracy(
    model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None
) -> float:
    return float(np.average(np.asarray(model.predict(X)) == y, weights=weights))


def mean_log_likelihood(
    model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None
) -> float:
    if hasattr(model, "predict_log_proba"):
        log_proba = np.asarray(model.predict_log_proba(X))
    else:
        with np.errstate(divide="ignore"):
            log_proba = np.log(model.predict_proba(X))
    column = np.minimum(np.searchsorted(model.classes_, y), log_proba.shape[1] - 1)
    of_truth = np.maximum(log_proba[np.arange(len(y)), column], FLOOR)
    seen = model.classes_[column] == y
    return float(np.average(np.where(seen, of_truth, FLOOR), weights=weights))


def check_metric(metric: Any, own: Mapping[str, Score]) -> None:
    """Raise ValueError unless it is a function, one of its own names, or for a classifier a metric of linclass."""
    if callable(metric) or (isinstance(metric, str) and metric in own):
        return
    classifies = own is OF_CLASSIFIERS
    if not (classifies and isinstance(metric, str)):
        known = ", ".join(metrics.names() if classifies else own)
        raise ValueError(f"metric is {metric!r}; choose from {known}, or give a function.")
    if _needs(metric) is None:
        raise ValueError(f"metric {metric!r} needs costs; give a function of the fitted estimator.")


def score_of(metric: Any, own: Mapping[str, Score]) -> Score:
    """The function that judges a fit on held-out rows."""
    if callable(metric):
        return metric
    if metric in own:
        return own[metric]
    value, sign = metrics.find(metric), 1 if metrics.greater_is_better(metric) else -1

    def score(model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None) -> float:
        return sign * float(value(_predictions(model, X, y, weights)))

    return score


def _predictions(
    model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None
) -> Predictions:
    """Codes, scores and probabilities of all classes that the fit or the rows have."""
    classes = np.union1d(model.classes_, y)

    def output_of(name: str) -> Any:
        method = getattr(model, name, None)
        found: Any = None if method is None else method(X)
        return np.searchsorted(classes, found) if name == "predict" else found

    codes = np.searchsorted(classes, model.classes_)
    coded = SimpleNamespace(classes_=codes, get_params=model.get_params)
    outputs = Outputs(coded, output_of, len(y), len(classes))
    score, log_proba = outputs.scores(), outputs.log_proba()
    if score is None:
        score = np.full((len(y), len(classes)), np.nan)
    truth = np.searchsorted(classes, y)
    return Predictions(truth, outputs.codes(), score, log_proba, 1, weights)


def _needs(metric: str) -> bool | None:
    """Whether a metric needs probabilities; None if it is not defined even with them."""
    if "." in metric:  # of another library, called with predicted rows alone
        return False
    y, value = np.array([0, 1]), metrics.find(metric)
    log_proba = np.log([[0.75, 0.25], [0.25, 0.75]])
    with_them, without = (
        float(value(Predictions(y, y, log_proba, given, 1))) for given in (log_proba, None)
    )
    return None if np.isnan(with_them) else bool(np.isnan(without))


def check_probabilities(
    metric: Any, estimator: EstimatorLike, options: Sequence[Mapping[str, Any]]
) -> None:
    """Raise ValueError unless the estimator has the probabilities that a metric needs, with every option."""
    if not isinstance(metric, str) or metric in OF_REGRESSORS or not _needs(metric):
        return
    for option in options:
        model = cloned(estimator).set_params(**option)
        if not (hasattr(model, "predict_log_proba") or hasattr(model, "predict_proba")):
            raise ValueError(
                f"metric is {metric!r}, but {model!r} has no probabilities; use metric='accuracy', or "
                "Calibrated."
            )


def squared_error(model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None) -> float:
    return -float(np.average((y - model.predict(X)) ** 2, weights=weights))


OF_CLASSIFIERS: dict[str, Score] = {"accuracy": held_out_accuracy, "log_loss": mean_log_likelihood}
OF_REGRESSORS: dict[str, Score] = {"squared_error": squared_error}
