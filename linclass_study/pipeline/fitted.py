"""A fitted method, its task, and its predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass.base.arrays import EstimatorLike, MatrixLike
from linclass.base.messages import NotApplicable
from linclass.base.parameters import is_number
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
        return predict_rows(self.estimator, ready.X, self.method, self.task)

    def predict(self, table: Table) -> Prediction:
        return self.predict_transformed(self.ready(table))


def measured(predicted: Prediction, y: np.ndarray, task: Task) -> float | None:
    """The tune_metric of predictions; None if it is not defined."""
    value = float(metrics.find(task.tune_metric)(_predictions(predicted, y, task)))
    return None if np.isnan(value) else value


def why_not_measured(predicted: Prediction, y: np.ndarray, task: Task) -> str:
    """Why predictions have no tune_metric: the exception of an imported metric, or what is missing."""
    name, predictions = task.tune_metric, _predictions(predicted, y, task)
    if "." in name and (failure := metrics.imported(name).failure(predictions)):
        return f"the tune_metric '{name}' raises {failure}"
    lacks = ["scores"] * bool(np.isnan(predicted[1]).all())
    lacks += ["probabilities"] * (predicted[2] is None)
    lacks += ["costs"] * (task.costs is None and name == "expected_cost")
    without = f", which have no {' and no '.join(lacks)}" if lacks else ""
    return (
        f"the tune_metric '{name}' is not defined for its predictions on an inner fold{without}; "
        "choose another tune_metric"
    )


def _predictions(predicted: Prediction, y: np.ndarray, task: Task) -> Predictions:
    y_pred, scores, log_proba = predicted
    return Predictions(y, y_pred, scores, log_proba, task.positive, costs=task.costs)


def predict_rows(estimator: EstimatorLike, X: MatrixLike, method: Method, task: Task) -> Prediction:
    y_pred, score, _ = predicted = predictions_of(estimator, X, task.n_classes)
    first, second = score[y_pred == 0, 1], score[y_pred == 1, 1]
    if task.n_classes == 2 and len(first) and len(second) and second.max() < first.min():
        raise ValueError(
            "each row that it predicts as the second class has a lower score than all others; a decision_function of "
            "two classes must be positive for the second of classes_, and probabilities have the order of classes_"
        )
    return decided(predicted, method, task)


def decided(predicted: Prediction, method: Method, task: Task) -> Prediction:
    """The predictions; with 'decide: costs' the classes of least expected cost."""
    _, score, log_proba = predicted
    if not method.by_costs or task.costs is None:
        return predicted
    if log_proba is None:
        missing = "'decide: costs' needs probabilities, which this classifier does not provide"
        raise NotApplicable(missing)
    return decide(log_proba, task.costs).astype(np.int32), score, log_proba


# Parameters that an estimator selected during its fit, and the candidates that it compared.
#
# They are read from attributes of scikit-learn's conventions:
#
#     best_params_          GridSearchCV and its like, TunedClassifier
#     C_ for Cs, alpha_ for alphas, l1_ratio_ for a list l1_ratio          LogisticRegressionCV and its like
#     strength_ for strength='evidence', shrinkage_ for 'ledoit_wolf'      a word in place of the number
#
# In a Pipeline they have the name of the step as a prefix, as in `fit__C`.


def parameters_of(fitted: Fitted) -> dict[str, Any]:
    """The parameters of a fit: given by its method, chosen by the estimator, and tuned by inner folds."""
    return fitted.method.params | own_choice(fitted.estimator) | fitted.chosen


def own_choice(estimator: EstimatorLike) -> dict[str, Any]:
    """Name and value of each parameter that the fitted estimator chose; numbers are Python's."""
    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list):
        inner = [(name, own_choice(step)) for name, step in steps]
        return {f"{name}__{key}": value for name, params in inner for key, value in params.items()}
    best = getattr(estimator, "best_params_", None)
    if isinstance(best, Mapping):
        return {str(name): _plain(value) for name, value in best.items()}
    params = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    over_folds = type(estimator).__name__.endswith("CV")
    chosen_params = {}
    for name, value in params.items():
        singular = name.removesuffix("s")
        if over_folds and singular != name and hasattr(estimator, f"{singular}_"):
            chosen = _plain(getattr(estimator, f"{singular}_"))
            if is_number(chosen) or isinstance(chosen, list):  # of each class
                chosen_params[singular] = chosen
        elif isinstance(value, str | list | tuple | np.ndarray):
            chosen = _plain(getattr(estimator, f"{name}_", None))
            if is_number(chosen):
                chosen_params[name] = chosen
    return chosen_params


def own_candidates(estimator: EstimatorLike) -> tuple[Candidate, ...]:
    """The candidates that it compared, with mean and standard error of their scores over its folds.

    AIC and BIC have no folds (n = 0): for them it is the criterion, of which the least is best.
    """
    if hasattr(estimator, "candidates_"):
        options, best = estimator.candidates_, estimator.best_index_
        if hasattr(estimator, "criterion_"):
            means, errors, n = estimator.criterion_, [None] * len(options), 0
        else:
            means, errors = estimator.mean_scores_, estimator.standard_errors_
            n = len(estimator.scores_)
    elif isinstance(results := getattr(estimator, "cv_results_", None), Mapping):
        if "mean_test_score" not in results:  # several scores
            return ()
        options, best, n = results["params"], estimator.best_index_, estimator.n_splits_
        means, errors = results["mean_test_score"], results["std_test_score"] / max(1, n - 1) ** 0.5
    else:
        return ()
    candidates = []
    for i, (option, mean, error) in enumerate(zip(options, means, errors, strict=True)):
        params = {str(name): _plain(value) for name, value in option.items()}
        candidates.append(Candidate(params, _or_none(mean), _or_none(error), n, i == best))
    return tuple(candidates)


def _plain(value: Any) -> Any:
    """Python's number for NumPy's; one number for an array that repeats it, as C_ of each class does."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        distinct = np.unique(value)
        return distinct[0].item() if len(distinct) == 1 else value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def _or_none(value: Any) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)
