"""The way from rows to predictions: transforms → tuning → classifier → decision, all learned from training rows.

A method is a configured classifier, as an entry of config/methods.yaml writes it. Everything is found
by name, so that a method depends on the files of its own parts and on no other's.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import numpy as np

from linclass import metrics, tuning
from linclass.conventions import NotApplicable
from linclass.metrics.predictions import Predictions
from linclass.predicted import own_copy, said_of
from linclass.resampling import seed_of
from linclass.risk import decide
from linclass.table import Table


@dataclass(frozen=True)
class Method:
    classifier: type
    params: dict[str, Any] = field(default_factory=dict)
    tune: dict[str, Any] = field(default_factory=dict)
    transforms: tuple[tuple[str, dict[str, Any]], ...] = ()
    by_costs: bool = False

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Method:
        return cls(
            classifier=import_class(entry["classifier"]),
            params=dict(entry.get("params") or {}),
            tune=dict(entry.get("tune") or {}),
            transforms=tuple(steps(entry.get("transforms"))),
            by_costs=entry.get("decide") == "costs",
        )

    def estimator(self, seed: int | None = None, **chosen: Any) -> Any:
        """The classifier, unfitted; a random start is seeded unless the entry seeds it itself."""
        values = {name: _built(value, seed) for name, value in (self.params | chosen).items()}
        if seed is not None and "random_state" in inspect.signature(self.classifier).parameters:
            values.setdefault("random_state", seed)
        return self.classifier(**values)


@dataclass(frozen=True)
class Task:
    """What every fit of a run has in common."""

    n_classes: int
    positive: int
    costs: list[list[float]] | None = None
    inner_folds: int = 5
    tune_metric: str = "accuracy"


@dataclass(frozen=True)
class Fitted:
    method: Method
    task: Task
    chosen: dict[str, Any]
    transforms: list[Any]
    estimator: Any

    def predict(self, table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """(predicted codes, score (n, K), log-probabilities (n, K) or None) of some rows."""
        for transform in self.transforms:
            table = transform.transform(table)
        return _predict(self.estimator, table.X, self.method, self.task)


def fit(method: Method, table: Table, y: np.ndarray, task: Task, seed: int) -> Fitted:
    """Learn everything that the method learns from these training rows, the tuned parameters first."""
    if method.by_costs and task.costs is None:
        raise NotApplicable(
            "'decide: costs' needs costs, and the data set states none; add 'costs:' to its entry"
        )
    chosen = _tuned(method, table, y, task, seed) if method.tune else {}
    transforms, ready = _transformed(method, table, y)
    estimator = method.estimator(seed, **chosen)
    _refuse_gaps(ready, estimator)
    estimator.fit(ready.X, y)
    return Fitted(method, task, chosen, transforms, estimator)


def import_class(path: str) -> type:
    """The class behind an import path; ValueError with one line when there is none."""
    module_name, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(module_name), name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"'{path}' cannot be imported: there is no module '{error.name}'; "
            "install it, or correct the path"
        ) from None
    except AttributeError:
        known = [n for n in dir(import_module(module_name)) if n[:1].isupper()]
        near = get_close_matches(name, known, n=1)
        remedy = f"did you mean '{near[0]}'?" if near else "correct the path"
        raise ValueError(
            f"'{path}' does not exist: '{module_name}' has no '{name}'; {remedy}"
        ) from None
    if not isinstance(found, type):
        raise ValueError(f"'{path}' is not a class; give the class of an estimator")
    return found


def steps(entries: Any) -> list[tuple[str, dict[str, Any]]]:
    """[standardize, {impute: {numbers: median}}] → [(name, options), …]."""
    pairs = []
    for entry in entries or []:
        name, options = (entry, None) if isinstance(entry, str) else next(iter(entry.items()))
        pairs.append((name, dict(options or {})))
    return pairs


def transform_class(name: str) -> type:
    """The class of linclass/transforms/{name}.py: one_hot → OneHot."""
    words = "".join(word.capitalize() for word in name.split("_"))
    return getattr(import_module(f"linclass.transforms.{name}"), words)


def _built(value: Any, seed: int | None) -> Any:
    """A parameter as the classifier wants it; {classifier: …, params: …} is an estimator inside."""
    if isinstance(value, Mapping) and "classifier" in value:
        return Method.from_entry(value).estimator(seed)
    return value


def _transformed(method: Method, table: Table, y: np.ndarray) -> tuple[list[Any], Table]:
    fitted = []
    for name, options in method.transforms:
        transform = transform_class(name)(**options).fit(table, y)
        table = transform.transform(table)
        fitted.append(transform)
    return fitted, table


def _tuned(method: Method, table: Table, y: np.ndarray, task: Task, seed: int) -> dict[str, Any]:
    measure = metrics.find(task.tune_metric)

    def prepare(train: np.ndarray, test: np.ndarray) -> tuple[Any, ...]:
        transforms, ready = _transformed(method, table.rows(train), y[train])
        held_out = table.rows(test)
        for transform in transforms:
            held_out = transform.transform(held_out)
        return ready, y[train], held_out.X, y[test]

    def score(prepared: tuple[Any, ...], option: dict[str, Any]) -> float:
        ready, y_train, X_test, y_test = prepared
        estimator = method.estimator(seed, **option)
        _refuse_gaps(ready, estimator)
        estimator.fit(own_copy(ready.X, estimator), y_train)
        y_pred, scores, log_proba = _predict(estimator, X_test, method, task)
        value = measure(Predictions(y_test, y_pred, scores, log_proba, task.positive))
        if value is None:
            raise NotApplicable(
                f"the tune_metric '{task.tune_metric}' is not defined for this method"
            )
        return value if metrics.greater_is_better(task.tune_metric) else -value

    options = tuning.candidates(method.tune)
    return tuning.choose(options, y, task.inner_folds, seed_of("tuning", seed), prepare, score)


def _refuse_gaps(table: Table, estimator: Any) -> None:
    """Text and missing values are said by name, before a classifier stumbles over them."""
    if table.levels:
        name = next(iter(table.levels))
        raise NotApplicable(f"column '{name}' is text; add one_hot to the method's transforms")
    values = table.X.data if table.is_sparse else table.X
    if np.isnan(values).any() and not _allows_nan(estimator):
        missing = np.isnan(table.X.toarray() if table.is_sparse else table.X).sum(axis=0)
        column = int(np.argmax(missing > 0))
        raise NotApplicable(
            f"column '{table.names[column]}' has {missing[column]} missing values in the training rows; "
            "add impute to the method's transforms"
        )


def _allows_nan(estimator: Any) -> bool:
    try:
        return bool(estimator.__sklearn_tags__().input_tags.allow_nan)
    except Exception:  # a foreign estimator without tags makes no such promise
        return False


def _predict(
    estimator: Any, X: Any, method: Method, task: Task
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    y_pred, score, log_proba = said_of(estimator, X, task.n_classes)
    if method.by_costs and task.costs is not None:
        if log_proba is None:
            raise NotApplicable(
                "'decide: costs' needs probabilities, which this classifier does not give"
            )
        y_pred = decide(log_proba, task.costs).astype(np.int32)
    return y_pred, score, log_proba
