"""What candidates are judged by on held-out rows; greater is better.

accuracy        share of the rows whose class is predicted
log_loss        mean of ln P(y | x), with P at least 2.2·10⁻¹⁶, also where the fit has not seen the class
squared_error   minus the mean of (y − ŷ)²
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np

from linclass.annotations import EstimatorLike, MatrixLike
from linclass.conventions.cloned import cloned
from linclass.conventions.offsets import offset_for
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


def check_probabilities(estimator: EstimatorLike, options: Sequence[Mapping[str, Any]]) -> None:
    """Raise ValueError unless the estimator has probabilities with every option."""
    for option in options:
        model = cloned(estimator).set_params(**option)
        if not (hasattr(model, "predict_log_proba") or hasattr(model, "predict_proba")):
            raise ValueError(
                f"metric is 'log_loss', but {model!r} has no probabilities; use metric='accuracy', or "
                "Calibrated."
            )


def squared_error(model: EstimatorLike, X: MatrixLike, y: Array, weights: Array | None) -> float:
    return -float(np.average((y - model.predict(X)) ** 2, weights=weights))


OF_CLASSIFIERS: dict[str, Score] = {"accuracy": held_out_accuracy, "log_loss": mean_log_likelihood}
OF_REGRESSORS: dict[str, Score] = {"squared_error": squared_error}
