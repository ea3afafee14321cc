"""A metric by its import path or as a function, in a form of scikit-learn: of the true and the predicted, or a scorer.

    def f(y_true, y_pred)        predicted classes; scores or probabilities where the second is y_score or y_proba
    def f(estimator, X, y)       a scorer, as of `make_scorer`: greater values are better

Classes are codes 0, 1, ...; of two classes, 1 is the positive one, and scores and probabilities are those of it. As in
scikit-learn, less is better if a function is called `…_loss`, `…_error` or `…_deviance`. Attributes
`greater_is_better` and `response_method` of a function say it otherwise.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from linclass.base.parameters import as_number
from linclass.base.parts import import_object
from linclass.evaluation.metrics.predictions import Array, Predictions

LESS = ("_loss", "_error", "_deviance")
COSTS = {
    "cost", "costs", "deviance", "divergence", "error", "errors", "expense", "harm", "loss", "losses", "mae",
    "misclassification", "misclassifications", "mistakes", "mse", "penalty", "regret", "risk", "rmse",
}  # fmt: skip
# `neg_…` and `…_score` of scikit-learn, and what is saved or avoided: greater is better
TURNED = {"avoided", "free", "neg", "negated", "negative", "saved", "saving", "savings", "score"}
RESPONSES = {  # by the name of the second parameter, as scikit-learn's metrics call it
    "pred_decision": ("decision_function",),
    "y_score": ("decision_function", "predict_proba"),
    "y_proba": ("predict_proba",),
    "y_prob": ("predict_proba",),
}


class ImportedMetric:
    """The metric, a function or its import path, as a function of Predictions; NaN with a warning where it raises an
    exception."""

    bounds = -np.inf, np.inf

    def __init__(self, metric: str | Callable[..., Any]):
        by_path = isinstance(metric, str)
        self.path = str(metric) if by_path else name_of(metric)
        self.function: Any = import_object(str(metric)) if by_path else metric
        if not callable(self.function) or isinstance(self.function, type):
            raise ValueError(
                f"'{self.path}' is not a function; give a function (y_true, y_pred) or a scorer"
            )
        names = [*_parameters(self.function), "", ""]
        self.is_scorer = names[0] == "estimator"
        less = name_of(self.function).endswith(LESS)
        reversed_sign = getattr(self.function, "_sign", 1) < 0  # of make_scorer
        self.tells_direction = less or reversed_sign or hasattr(self.function, "greater_is_better")
        self.greater_is_better = bool(getattr(self.function, "greater_is_better", not less))
        of_name = RESPONSES.get(names[1], ("predict",))
        self.responses = _several(getattr(self.function, "response_method", of_name))

    @property
    def is_named_like_a_cost(self) -> bool:
        scored = getattr(self.function, "_score_func", None)  # of make_scorer
        names = {self.path.rpartition(".")[2], name_of(scored or self.function)}
        found = (word for name in names for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name))
        words = {word.lower() for word in found}
        return bool(words & COSTS) and not words & TURNED

    def __call__(self, p: Predictions) -> Array:
        if p.shape:
            values = [self(p[place]) for place in np.ndindex(p.shape)]
            return np.array(values, dtype=np.float64).reshape(p.shape)
        try:
            return np.array(self.value(p))[()]
        except Exception as error:  # as on a fold of one class
            warnings.warn(f"{self.path}: {type(error).__name__}: {error}", stacklevel=2)
            return p.undefined

    def failure(self, p: Predictions) -> str:
        """The exception that it raises on one fold, in one line; empty if it raises none."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.value(p)
        except Exception as error:
            return " ".join(f"{type(error).__name__}: {error}".split())
        return ""

    def value(self, p: Predictions) -> float:
        """The metric on one fold; NaN without scores or probabilities that it needs. It may raise exceptions."""
        answers = answers_of(p)
        y_true = _positive_last(p.y_true, p)
        weight = {} if p.weight is None else {"sample_weight": p.weight}
        if self.is_scorer:
            needed = getattr(self.function, "_response_method", "predict")  # of make_scorer
            if not {*_several(needed)} & {*answers}:
                return np.nan
            rows, stored = np.arange(len(y_true))[:, None], StoredClassifier(answers, p.n_classes)
            return as_number(self.function(stored, rows, y_true, **weight), self.path)
        answer = next((answers[name] for name in self.responses if name in answers), None)
        if answer is None:
            return np.nan
        if p.n_classes == 2 and answer.ndim == 2:
            answer = answer[:, 1]
        return as_number(self.function(y_true, answer, **weight), self.path)


class StoredClassifier:
    """A classifier that answers with stored predictions, for scorers; X is the column of the numbers of rows."""

    def __init__(self, answers: Mapping[str, Array], n_classes: int):
        self.classes_ = np.arange(n_classes)
        for name, values in answers.items():
            setattr(self, name, _method(name, values))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags("classifier", TargetTags(required=True), classifier_tags=ClassifierTags())


def _method(name: str, values: Array) -> Callable[[Any], Array]:
    def stored(X: Any) -> Array:
        return values[np.ravel(X)]

    stored.__name__ = name  # scorers read the kind of the answer from it
    return stored


def answers_of(p: Predictions) -> dict[str, Array]:
    """Method of a classifier → what it returns for the rows, in scikit-learn's shapes."""
    order = [1 - p.positive, p.positive] if p.n_classes == 2 else slice(None)
    found = {"predict": _positive_last(p.y_pred, p)}
    score = p.score[:, order]
    if np.isfinite(score).all():  # log-odds of probabilities 0 and 1 are no scores
        found["decision_function"] = score[:, 1] - score[:, 0] if p.n_classes == 2 else score
    if p.log_proba is not None:
        log_proba = p.log_proba[:, order]
        found |= {"predict_log_proba": log_proba, "predict_proba": np.exp(log_proba)}
    return found


def _positive_last(codes: Array, p: Predictions) -> Array:
    """Codes of the classes; of two classes the positive one is 1."""
    return (codes == p.positive).astype(np.int64) if p.n_classes == 2 else codes.astype(np.int64)


def _several(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _parameters(function: Any) -> list[str]:
    try:
        return [*inspect.signature(function).parameters]
    except ValueError:  # compiled
        return []


def name_of(function: Any) -> str:
    """The name with which a function was defined, also of a functools.partial."""
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", ""))
