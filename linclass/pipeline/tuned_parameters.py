"""The tuned parameters of a method, selected by inner cross-validation on its training rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linclass import metrics
from linclass.annotations import EstimatorLike
from linclass.applicability import NotApplicable
from linclass.conventions.convergence_warning import silently
from linclass.pipeline.estimator_calls import fit_estimator, fits_together, rows_for
from linclass.pipeline.fitted import Candidate, Task, measured, predict_rows
from linclass.pipeline.method import Method, parameters
from linclass.pipeline.require_numbers import require_numbers
from linclass.pipeline.transforming import fit_transforms
from linclass.predicted import own_copy
from linclass.resampling import seed_of
from linclass.selection import tuning
from linclass.table import Table


def select_parameters(
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
        transforms, ready = fit_transforms(method.transforms, table.rows(train), y[train], seed)
        held_out = table.rows(test)
        for transform in transforms:
            held_out = transform.transform(held_out)
        return ready, train, held_out.X, y[test]

    def score(prepared: tuple[Any, ...], option: dict[str, Any]) -> float:
        ready, train, X_test, y_test = prepared
        estimator = method.estimator(seed, **precision | option)
        require_numbers(ready, estimator)
        rows = own_copy(rows_for(estimator, ready), estimator)
        fit_estimator(estimator, rows, y[train], None if groups is None else groups[train])
        return judged(estimator, X_test, y_test)

    def together(held_out: list[np.ndarray]) -> list[list[Callable[[], float]]]:
        params = [precision | option for option in options]
        _refuse_impossible(method, params, seed)
        shared, fits = fits_together(method, params, table, y, held_out, seed)
        judgements: list[list[Callable[[], float]]] = []
        for k, rows in enumerate(held_out):
            X_test = shared.held_out(k, rows).X
            judgements.append([partial(judged, fit, X_test, y[rows]) for fit in fits[k]])
        return judgements

    def judged(estimator: EstimatorLike, X_test: Any, y_test: np.ndarray) -> float:
        value = measured(predict_rows(estimator, X_test, method, task), y_test, task)
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


def candidates_of(choice: tuning.Choice, task: Task) -> tuple[Candidate, ...]:
    n = len(choice.scores)
    return tuple(
        Candidate(option, None, None, n, False)
        if np.isnan(mean)
        else Candidate(option, _sign(task) * mean, error, n, i == choice.number)
        for i, (option, (mean, error)) in enumerate(
            zip(choice.options, choice.judged(), strict=True)
        )
    )


def _refuse_impossible(method: Method, options: list[dict[str, Any]], seed: int) -> None:
    """Raise NotApplicable if a candidate cannot be fitted: one by one, only that one is left out."""
    for option in options:
        try:
            getattr(method.estimator(seed, **option), "check", lambda: None)()
        except ValueError as error:
            raise NotApplicable(str(error)) from error


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


def _sign(task: Task) -> float:
    """What makes greater values of the tune_metric the better ones."""
    return 1.0 if metrics.greater_is_better(task.tune_metric) else -1.0
