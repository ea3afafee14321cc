"""From rows to predictions: transforms → tuning → classifier → decision, all fitted to training rows.

A method is a configured classifier, as in an entry of config/methods.yaml. Parts are found by name, so a method
depends only on the files of its own parts.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from linclass import metrics, tuning
from linclass.applicability import NotApplicable
from linclass.metrics.predictions import Predictions
from linclass.predicted import own_codes, own_copy, predictions_of
from linclass.resampling import seed_of
from linclass.risk import decide
from linclass.table import Table
from linclass.transforming import SharedRows, fit_transforms, share
from linclass.unfinished import silently


@dataclass(frozen=True)
class Method:
    """A configured classifier: its class, parameters, grid of tuned parameters, and transforms."""

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
        """The unfitted classifier; `seed` sets its random_state unless the entry does."""
        values = {name: _built(value, seed) for name, value in (self.params | chosen).items()}
        learns = hasattr(self.classifier, "fit")  # a splitter may reject a seed
        if seed is not None and learns and "random_state" in parameters(self.classifier):
            values.setdefault("random_state", seed)
        inner = {name: values.pop(name) for name in list(values) if "__" in name}
        made = self.classifier(**values)
        return made.set_params(**inner) if inner else made


@dataclass(frozen=True)
class Task:
    """What all fits of a run have in common."""

    n_classes: int
    positive: int
    costs: list[list[float]] | None = None
    inner_folds: int = 5
    tune_metric: str = "accuracy"
    tune_rule: str = "best"


Prediction = tuple[
    np.ndarray, np.ndarray, np.ndarray | None
]  # codes, score (n, K), log-probabilities


@dataclass(frozen=True)
class Candidate:
    """Parameters that were tried, and their tune_metric over the inner folds: mean and standard error, or None."""

    params: dict[str, Any]
    mean: float | None
    error: float | None
    n: int
    chosen: bool


@dataclass(frozen=True)
class Fitted:
    """A fitted method."""

    method: Method
    task: Task
    chosen: dict[str, Any]
    transforms: list[Any]
    estimator: Any
    candidates: tuple[Candidate, ...] = ()

    def ready(self, table: Table) -> Table:
        """The transformed rows, as they reach the classifier."""
        for transform in self.transforms:
            table = transform.transform(table)
        return table

    def say(self, ready: Table) -> Prediction:
        """(predicted codes, scores (n, K), log-probabilities (n, K) or None) of transformed rows."""
        return _predict(self.estimator, ready.X, self.method, self.task)

    def predict(self, table: Table) -> Prediction:
        """(predicted codes, scores (n, K), log-probabilities (n, K) or None) of rows."""
        return self.say(self.ready(table))


def fit(
    method: Method,
    table: Table,
    y: np.ndarray,
    task: Task,
    seed: int,
    groups: np.ndarray | None = None,
) -> Fitted:
    """Fit a method to training rows; tuned parameters are selected first.

    Rows of a group stay together in the folds of the tuning, and in those of an estimator whose `fit` has the
    parameter `groups`.
    """
    _refuse_lack_of_costs(method, task)
    chosen: dict[str, Any] = {}
    candidates: tuple[Candidate, ...] = ()
    if method.tune:
        choice = _tuned(method, table, y, task, seed, groups)
        chosen, candidates = choice.option, _told(choice, task)
    transforms, ready, estimator = prepared(method, table, y, seed, chosen)
    _learn(estimator, _rows_for(estimator, ready), y, groups)
    return Fitted(method, task, chosen, transforms, estimator, candidates)


def prepared(
    method: Method, table: Table, y: np.ndarray, seed: int, chosen: Mapping[str, Any]
) -> tuple[list[Any], Table, Any]:
    """(the fitted transforms, the training rows after them, the classifier that has yet to learn)."""
    transforms, ready = fit_transforms(method.transforms, table, y)
    estimator = method.estimator(seed, **chosen)
    _refuse_gaps(ready, estimator)
    return transforms, ready, estimator


def fit_folds(
    method: Method, table: Table, y: np.ndarray, held_out: list[np.ndarray], task: Task
) -> list[Fitted]:
    """`fit` on the training rows of each fold at once, for a deterministic method without tuning.

    Raises NotApplicable if the folds have nothing to share: fit them one by one.
    """
    _refuse_lack_of_costs(method, task)
    if method.tune:
        raise NotApplicable("each fold has its own tuning")
    shared, fits = _fits_together(method, [{}], table, y, held_out, None, strictly=True)
    return [Fitted(method, task, {}, shared.transforms(k), fit) for k, (fit,) in enumerate(fits)]


def left_out(method: Method, table: Table, y: np.ndarray, task: Task) -> tuple[Fitted, Prediction]:
    """(model of all rows, predictions for each row by the model of all others), without tuning, for a
    classifier with `leave_one_out`.

    Raises NotApplicable if the transforms depend on the row that is left out.
    """
    _refuse_lack_of_costs(method, task)
    estimator = method.estimator()
    if method.tune or not callable(getattr(estimator, "leave_one_out", None)):
        raise NotApplicable(f"{type(estimator).__name__} has no leave_one_out, or is tuned")
    shared = share(method.transforms, table, list(np.arange(len(y))[:, None]))
    if shared is None or shared.last is not None:
        raise NotApplicable("the transforms differ from row to row")
    _refuse_gaps(shared.table, estimator)
    rows = _rows_for(estimator, shared.table)
    Z = estimator.leave_one_out(rows, y)
    _learn(estimator, rows, y, None)
    answering = copy.copy(estimator)  # predicts from these scores
    answering.decision_function = lambda X: Z
    said = _predict(answering, rows, method, task)
    return Fitted(method, task, {}, shared.common, estimator), said


def import_class(path: str) -> type:
    """The class at an import path; ValueError with one sentence if there is none."""
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


def parameters(function: Any) -> Mapping[str, inspect.Parameter]:
    """Parameters by name; empty if they are unknown, as for some compiled classes."""
    try:
        return inspect.signature(function).parameters
    except ValueError:
        return {}


def steps(entries: Any) -> list[tuple[str, dict[str, Any]]]:
    """[standardize, {impute: {numbers: median}}] → [(name, options), …]."""
    pairs = []
    for entry in entries or []:
        name, options = (entry, None) if isinstance(entry, str) else next(iter(entry.items()))
        pairs.append((name, dict(options or {})))
    return pairs


def _refuse_lack_of_costs(method: Method, task: Task) -> None:
    if method.by_costs and task.costs is None:
        raise NotApplicable(
            "'decide: costs' needs costs, and the data set states none; add 'costs:' to its entry"
        )


def _built(value: Any, seed: int | None) -> Any:
    """The value of a parameter; {classifier: …, params: …} becomes an estimator.

    Also inside lists and mappings, such as the [[name, {classifier: …}], …] of ensembles.
    """
    if isinstance(value, Mapping):
        if "classifier" in value:
            return Method.from_entry(value).estimator(seed)
        return {name: _built(inside, seed) for name, inside in value.items()}
    if isinstance(value, list):
        return [_built(item, seed) for item in value]
    return value


def _tuned(
    method: Method,
    table: Table,
    y: np.ndarray,
    task: Task,
    seed: int,
    groups: np.ndarray | None = None,
) -> tuning.Choice:
    options = tuning.candidates(method.tune)
    precision = _precision_of_tuning(method)

    def prepare(train: np.ndarray, test: np.ndarray) -> tuple[Any, ...]:
        transforms, ready = fit_transforms(method.transforms, table.rows(train), y[train])
        held_out = table.rows(test)
        for transform in transforms:
            held_out = transform.transform(held_out)
        return ready, train, held_out.X, y[test]

    def score(prepared: tuple[Any, ...], option: dict[str, Any]) -> float:
        ready, train, X_test, y_test = prepared
        estimator = method.estimator(seed, **precision | option)
        _refuse_gaps(ready, estimator)
        rows = own_copy(_rows_for(estimator, ready), estimator)
        _learn(estimator, rows, y[train], None if groups is None else groups[train])
        return judged(estimator, X_test, y_test)

    def together(held_out: list[np.ndarray]) -> list[list[Callable[[], float]]]:
        params = [precision | option for option in options]
        _refuse_impossible(method, params, seed)
        shared, fits = _fits_together(method, params, table, y, held_out, seed)
        judgements: list[list[Callable[[], float]]] = []
        for k, rows in enumerate(held_out):
            X_test = shared.held_out(k, rows).X
            judgements.append([partial(judged, fit, X_test, y[rows]) for fit in fits[k]])
        return judgements

    def judged(estimator: Any, X_test: Any, y_test: np.ndarray) -> float:
        value = measured(_predict(estimator, X_test, method, task), y_test, task)
        if value is None:
            raise NotApplicable(
                f"the tune_metric '{task.tune_metric}' is not defined for this method"
            )
        return _sign(task) * value

    own_seed = seed_of("tuning", seed)
    with silently():  # only the last fit is the method's own
        return tuning.choose(
            options,
            y,
            task.inner_folds,
            own_seed,
            prepare,
            score,
            together,
            groups,
            task.tune_rule,
        )


def _refuse_impossible(method: Method, options: list[dict[str, Any]], seed: int) -> None:
    """Raise NotApplicable if a candidate cannot be fitted: one by one, only that one is left out."""
    for option in options:
        try:
            getattr(method.estimator(seed, **option), "check", lambda: None)()
        except ValueError as error:
            raise NotApplicable(str(error)) from error


def measured(predicted: Prediction, y: np.ndarray, task: Task) -> float | None:
    """The tune_metric of predictions; None if it is not defined."""
    y_pred, scores, log_proba = predicted
    said = Predictions(y, y_pred, scores, log_proba, task.positive, costs=task.costs)
    value = float(metrics.find(task.tune_metric)(said))
    return None if np.isnan(value) else value


def _sign(task: Task) -> float:
    """What makes greater values of the tune_metric the better ones."""
    return 1.0 if metrics.greater_is_better(task.tune_metric) else -1.0


def _told(choice: tuning.Choice, task: Task) -> tuple[Candidate, ...]:
    n = len(choice.scores)
    return tuple(
        Candidate(option, None, None, n, False)
        if np.isnan(mean)
        else Candidate(option, _sign(task) * mean, error, n, i == choice.number)
        for i, (option, (mean, error)) in enumerate(
            zip(choice.options, choice.judged(), strict=True)
        )
    )


def _learn(estimator: Any, X: Any, y: np.ndarray, groups: np.ndarray | None) -> None:
    """Fit an estimator. If it changes NumPy's error handling, the change ends here.

    An estimator that holds out rows itself gets the groups: `fit(X, y, groups=…)`.
    """
    told = {} if groups is None or not _takes_groups(estimator) else {"groups": groups}
    with np.errstate():
        estimator.fit(X, own_codes(y, estimator), **told)


def _takes_groups(estimator: Any) -> bool:
    try:
        return "groups" in inspect.signature(estimator.fit).parameters
    except (TypeError, ValueError):  # some compiled methods have no signature
        return False


def _precision_of_tuning(method: Method) -> dict[str, Any]:
    """Candidates are compared by their predictions, for which a looser tolerance may suffice (`tuning_tol`); it is not
    used if `tol` itself is tuned.
    """
    enough = getattr(method.classifier, "tuning_tol", None)
    known = parameters(method.classifier)
    if enough is None or "tol" not in known or "tol" in method.tune:
        return {}
    given = method.params.get("tol", known["tol"].default)
    return {"tol": max(given, enough)}


def _fits_together(
    method: Method,
    options: list[dict[str, Any]],
    table: Table,
    y: np.ndarray,
    held_out: list[np.ndarray],
    seed: int | None,
    strictly: bool = False,
) -> tuple[SharedRows, list[list[Any]]]:
    """(the rows that folds share, fits[fold][option]); raises NotApplicable if that is impossible.

    `strictly`: nothing may depend on the held-out rows, not even by rounding through columns that only they have. In
    tuning such a dependence on rounding is accepted.
    """
    estimator = method.estimator(seed)
    if not callable(getattr(estimator, "fit_many", None)):
        raise NotApplicable(f"{type(estimator).__name__} has no fit_many")
    lenient = not strictly and getattr(estimator, "ignores_empty_columns", False)
    shared = share(method.transforms, table, held_out, lenient)
    if shared is None:
        raise NotApplicable("its transforms are not the same in every fold")
    _refuse_gaps(shared.table, estimator)
    params = [{name: _built(v, seed) for name, v in option.items()} for option in options]
    rows = _rows_for(estimator, shared.table)
    return shared, estimator.fit_many(rows, y, held_out, params, shared.scaling)


def _rows_for(estimator: Any, table: Table) -> Any:
    """The matrix; with column names for estimators with parameters that name columns."""
    return table.named_rows() if getattr(estimator, "takes_names", False) else table.X


def _refuse_gaps(table: Table, estimator: Any) -> None:
    """Raise NotApplicable for texts, categories or missing values that the estimator cannot handle."""
    if table.texts:
        raise NotApplicable(
            f"column '{min(table.texts)}' holds texts; add count_words or hash_words to the method's features"
        )
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
    except Exception:  # a foreign estimator without tags
        return False


def _predict(
    estimator: Any, X: Any, method: Method, task: Task
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    y_pred, score, log_proba = predictions_of(estimator, X, task.n_classes)
    if method.by_costs and task.costs is not None:
        if log_proba is None:
            raise NotApplicable(
                "'decide: costs' needs probabilities, which this classifier does not give"
            )
        y_pred = decide(log_proba, task.costs).astype(np.int32)
    return y_pred, score, log_proba
