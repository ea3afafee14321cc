"""Leave-one-out and leave-one-group-out cross-validation, exactly and at the least cost.

The first of these that the method permits:

1. the classifier's own `leave_one_out`, for about the cost of one fit; only for single rows, if every training set
   would fit the transforms alike, and without tuning
2. many models at once from shared computations (`fitting.fit_folds`); without tuning
3. one fit after another, tuned inside each training set

All three give the result of separate fits, the transforms and the tuning included.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from linclass.base.tables import Table
from linclass_study.pipeline import fitting
from linclass_study.pipeline.fitted import Fitted, Prediction, Task
from linclass_study.pipeline.fitting import fit_method, predict_left_out
from linclass_study.pipeline.method import Method

AT_ONCE = 256  # models in memory at once

# rows, their model (for 1. that of all rows), predictions, seconds to predict
Part = tuple[np.ndarray, Fitted, Prediction, float]


def each(
    method: Method,
    table: Table,
    y: np.ndarray,
    units: np.ndarray,
    task: Task,
    seed: int,
    groups: np.ndarray | None = None,
) -> Iterator[Part]:
    """The predictions for each unit (row or group) by the model of all other units; every row once."""
    if len(np.unique(units)) == len(units) and not method.tune:
        found = _or_none(predict_left_out, method, table, y, task)
        if found is not None:
            yield np.arange(len(y)), *found, 0.0
            return
    order = np.argsort(units, kind="stable")
    held_out = np.split(order, np.flatnonzero(np.diff(units[order])) + 1)
    for begin in range(0, len(held_out), AT_ONCE):
        some = held_out[begin : begin + AT_ONCE]
        together = _or_none(fitting.fit_folds, method, table, y, some, task)
        for number, rows in enumerate(some):
            if together is not None:
                fitted = together[number]
            else:
                others = np.delete(np.arange(len(y)), rows)
                members = None if groups is None else groups[others]
                fitted = fit_method(method, table.rows(others), y[others], task, seed, members)
            clock = time.perf_counter()
            predicted = fitted.predict(table.rows(rows))
            yield rows, fitted, predicted, time.perf_counter() - clock


def _or_none(shortcut: Any, *arguments: Any) -> Any:
    """The result of a shortcut, or None if it fails; separate fits then raise the error, if there is one."""
    try:
        return shortcut(*arguments)
    except Exception:
        return None
