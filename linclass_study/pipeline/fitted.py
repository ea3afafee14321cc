"""A fitted method, its task, and its predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass.base.arrays import EstimatorLike, MatrixLike
from linclass.base.messages import NotApplicable
from linclass.base.predicted import predictions_of
from linclass.base.tables import Table
from linclass.evaluation import metrics
from linclass.evaluation.metrics.predictions import Predictions
from linclass.evaluation.risk import decide
from linclass_study.pipeline.method import Method

# codes, scores (n, K), log-probabilities (n, K) or None
Prediction = tuple[np.ndarray, np.ndarray, np.ndarray | None]


@dataclass(frozen=True)
class Task:
    """The data that all fits of a run share."""

    n_classes: int
    positive: int
    costs: list[list[float]] | None = None
    inner_folds: int = 5
    tune_metric: str = "accuracy"
    tune_rule: str = "best"
    classes: Sequence[str] = ()  # labels, in the order of their codes


@dataclass(frozen=True)
class Candidate:
    """Parameters that were tried, and their tune_metric over the inner folds: mean and standard error, or None and the
    exception of an inner fold.
    """

    params: dict[str, Any]
    mean: float | None
    error: float | None
    n: int
    chosen: bool
    failure: Exception | None = None


@dataclass(frozen=True)
class Fitted:
    """A fitted method."""

    method: Method
    task: Task
    chosen: dict[str, Any]
    transforms: list[Any]
    estimator: EstimatorLike
    candidates: tuple[Candidate, ...] = ()

    def ready(self, table: Table) -> Table:
        """The transformed rows, as they reach the classifier."""
        for transform in self.transforms:
            table = transform.transform(table)
        return table

    def predict_transformed(self, ready: Table) -> Prediction:
        """(predicted codes, scores (n, K), log-probabilities (n, K) or None) of transformed rows."""
        return predict_rows(self.estimator, ready.X, self.method, self.task)

    def predict(self, table: Table) -> Prediction:
        """(predicted codes, scores (n, K), log-probabilities (n, K) or None) of rows."""
        return self.predict_transformed(self.ready(table))


def measured(predicted: Prediction, y: np.ndarray, task: Task) -> float | None:
    """The tune_metric of predictions; None if it is not defined."""
    value = float(metrics.find(task.tune_metric)(_predictions(predicted, y, task)))
    return None if np.isnan(value) else value


def why_not_measured(predicted: Prediction, y: np.ndarray, task: Task) -> str:
    """Why predictions have no tune_metric: the exception of a metric of the user, or what they lack."""
    name = task.tune_metric
    if "." in name and (
        failure := metrics.imported(name).failure(_predictions(predicted, y, task))
    ):
        return f"the tune_metric '{name}' raises {failure}"
    lacks = [
        *(["scores"] if np.isnan(predicted[1]).all() else []),
        *(["probabilities"] if predicted[2] is None else []),
        *(["costs"] if task.costs is None and name == "expected_cost" else []),
    ]
    without = f", which have no {' and no '.join(lacks)}" if lacks else ""
    return (
        f"the tune_metric '{name}' is not defined for its predictions on an inner fold{without}; "
        "choose another tune_metric"
    )


def _predictions(predicted: Prediction, y: np.ndarray, task: Task) -> Predictions:
    y_pred, scores, log_proba = predicted
    return Predictions(y, y_pred, scores, log_proba, task.positive, costs=task.costs)


def predict_rows(estimator: EstimatorLike, X: MatrixLike, method: Method, task: Task) -> Prediction:
    return decided(predictions_of(estimator, X, task.n_classes), method, task)


def decided(predicted: Prediction, method: Method, task: Task) -> Prediction:
    """The predictions; with 'decide: costs' the classes of least expected cost."""
    _, score, log_proba = predicted
    if not method.by_costs or task.costs is None:
        return predicted
    if log_proba is None:
        raise NotApplicable(
            "'decide: costs' needs probabilities, which this classifier does not provide"
        )
    return decide(log_proba, task.costs).astype(np.int32), score, log_proba
