"""For one fit of a run: the steps of its solver (`trace`) and the coefficients along a path of strengths (`path`).

Both are fits of their own, made after the parameters are selected, so they change no prediction. Only classifiers of
linclass have them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from linclass.base.arrays import EstimatorLike
from linclass.base.predicted import is_ours
from linclass.base.tables import Table
from linclass.tuning import tuning
from linclass_study.pipeline import coefficients, fitting
from linclass_study.pipeline.fitted import Fitted, Task, measured
from linclass_study.pipeline.method import Method, parameters
from linclass_study.pipeline.tuned_parameters import rows_for

STRENGTHS = 20  # strengths of a path, at least
EACH = 30  # first steps, after each of which the held-out rows are scored
EVERY = 1.1  # ratio of the step numbers at which they are scored later
SMALL = 1_000_000  # entries of X up to which a fit is made before the timed one, as the first of a process is slower


def solver_trace(
    method: Method,
    table: Table,
    y: np.ndarray,
    held_out: tuple[Table, np.ndarray],
    task: Task,
    seed: int,
    chosen: Mapping[str, Any],
) -> list[dict[str, Any]] | None:
    """The steps of a solver as in `trace_`; `watched` is the tune_metric on the held-out rows, computed after the first
    steps and then at growing intervals.
    """
    if "trace" not in parameters(method.classifier):
        return None
    transforms, training, estimator = fitting.prepared(method, table, y, seed, chosen)
    if not is_ours(estimator):
        return None
    rows, y_held_out = held_out
    rows = Fitted(method, task, {}, transforms, estimator).ready(rows)
    calls = scored = 0

    def watch(model: EstimatorLike) -> float | None:
        nonlocal calls, scored
        calls += 1
        if calls > EACH and calls < EACH * EVERY ** (scored - EACH + 1):
            return None
        scored += 1
        fitted = Fitted(method, task, {}, transforms, model)
        return measured(fitted.predict_transformed(rows), y_held_out, task)

    if training.X.size <= SMALL:
        fitting.prepared(method, table, y, seed, chosen)[2].fit(rows_for(estimator, training), y)
    estimator.trace = watch
    estimator.fit(rows_for(estimator, training), y)
    return getattr(estimator, "trace_", None)


def coefficient_path(
    method: Method,
    table: Table,
    y: np.ndarray,
    seed: int,
    chosen: Mapping[str, Any],
) -> list[tuple[float, coefficients.Coefficients]] | None:
    """(strength, coefficients) over the tuned strengths, with the other parameters as selected."""
    if "strength" not in method.tune or not callable(getattr(method.classifier, "path", None)):
        return None
    transforms, ready, estimator = fitting.prepared(method, table, y, seed, chosen)
    if not is_ours(estimator) or not hasattr(estimator, "boundary"):  # kernel machines have none
        return None
    rows, spec = rows_for(estimator, ready), method.tune["strength"]
    strengths = finer(
        estimator.strength_path(rows, y) if tuning.is_path(spec) else tuning.listed_values(spec)
    )
    if len(strengths) < 2:
        return None
    found = [
        coefficients.of_fit(model, transforms, ready)
        for model in estimator.path(rows, y, strengths)
    ]
    return [(strength, known) for strength, known in zip(strengths, found, strict=True) if known]


def finer(strengths: Iterable[float]) -> list[float]:
    """The positive strengths of a grid, with enough values in between for a path, weakest first."""
    grid = sorted({float(strength) for strength in strengths if strength > 0})
    parts = -(-STRENGTHS // max(len(grid) - 1, 1))
    between = [
        np.geomspace(low, high, parts + 1)[1:-1].tolist() for low, high in itertools.pairwise(grid)
    ]
    return sorted([*grid, *itertools.chain(*between)])
