"""What a fit returns beside its predictions: how it ended, its optional tables, and the memory that it took.

Optional tables (workflow/schemas/tables.yaml) are mappings from column to values, without the columns that identify the
fit, or None if it has no such result.
"""

from __future__ import annotations

import json
import resource
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from linclass_study.pipeline.coefficients import Coefficients
from linclass_study.pipeline.fitted import Candidate
from linclass_study.pipeline.method import with_labels
from linclass_study.processes.guarded_child import one_line, reason
from linclass_study.statuses import FITTED

Columns = dict[str, Any]

MAX_COEFFICIENTS = 300  # coefficients of a class in a fit
LARGEST_ON_PATH = 30
STEP = ("passes", "seconds", "objective", "gradient_norm")


def fit_status(
    estimator: Any, caught: list[warnings.WarningMessage], classes: Sequence[str] = ()
) -> dict[str, Any]:
    """The columns of a fit's row; its reason names classes by their labels, `classes`.

    An estimator without a `status_` has converged unless it warned.
    """
    unconverged = [w for w in caught if "ConvergenceWarning" in w.category.__name__]
    status = text_or_none(getattr(estimator, "status_", None))
    if status not in FITTED:  # an attribute of the same name with another meaning
        message = one_line(str(unconverged[0].message)) if unconverged else ""
        words = {"status": "max_iter" if unconverged else "converged", "reason": message}
    else:
        reason = one_line(str(getattr(estimator, "reason_", "")))
        words = {"status": status, "reason": with_labels(reason, classes)}
    iterations = finite_number(getattr(estimator, "n_iter_", None))
    if iterations is not None and abs(iterations) >= 2**63:  # the column is Int64
        iterations = None
    return words | {
        "iterations": None if iterations is None else int(iterations),
        "objective": finite_number(getattr(estimator, "objective_", None)),
        "certificate": finite_number(getattr(estimator, "certificate_", None)),
        "certificate_kind": text_or_none(getattr(estimator, "certificate_kind_", None)),
    }


def log_warnings(caught: list[warnings.WarningMessage]) -> None:
    """Each warning once, into the log."""
    for text in dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught):
        print(text, file=sys.stderr)


def finite_number(value: Any) -> float | None:
    """A number, or the maximum of several; None if it is not a finite number."""
    try:
        largest = float(np.max(value))
    except (TypeError, ValueError, OverflowError):
        return None
    return largest if np.isfinite(largest) else None


def text_or_none(value: Any) -> str | None:
    return one_line(value) if isinstance(value, str) else None


def reset_peak_memory() -> None:
    with suppress(OSError), open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")


def peak_memory_mb() -> float:
    """Largest resident set since the reset, or of the whole process where it cannot be reset."""
    try:
        with open("/proc/self/status") as status:
            return next(int(s.split()[1]) for s in status if s.startswith("VmHWM")) / 1000
    except (OSError, StopIteration):
        scale = 1e6 if sys.platform == "darwin" else 1e3
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale


def coefficients(weights: Coefficients | None) -> Columns | None:
    """Intercept (its feature is null) and largest coefficients of each class."""
    if weights is None:
        return None
    rows = _rows(weights, weights.largest(MAX_COEFFICIENTS))
    return rows | {"features": np.full(len(rows["value"]), len(weights.names))}


def tuning(candidates: Sequence[Candidate]) -> Columns | None:
    """One row for each candidate: its parameters as JSON, and its score on the inner folds or why it has none."""
    if not candidates:
        return None
    return {
        "params": [json.dumps(one.params, default=str) for one in candidates],
        "mean": [one.mean for one in candidates],
        "error": [one.error for one in candidates],
        "n": [one.n for one in candidates],
        "chosen": [one.chosen for one in candidates],
        "failure": [one.failure and reason(one.failure) for one in candidates],
    }


def path_table(along_path: Sequence[tuple[float, Coefficients]] | None) -> Columns | None:
    """Coefficients at each strength, of the features with the largest coefficients anywhere on the path."""
    if not along_path:
        return None
    first = along_path[0][1]
    highest = np.max([np.abs(weights.W * weights.scale) for _, weights in along_path], axis=0)
    largest = Coefficients(first.names, highest, first.b, np.ones_like(first.scale))
    parts = [
        (strength, _rows(weights, largest.largest(LARGEST_ON_PATH)))
        for strength, weights in along_path
    ]
    columns: Columns = {
        name: np.concatenate([part[name] for _, part in parts])
        for name in ("class", "value", "scale")
    }
    columns["feature"] = [feature for _, part in parts for feature in part["feature"]]
    strength = np.repeat([s for s, _ in parts], [len(part["value"]) for _, part in parts])
    return {"strength": strength, **columns}


def trace_table(steps: Any) -> Columns | None:
    """Steps of the solver, if the estimator records them in linclass's form."""
    if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
        return None
    complete = [step for step in steps if {*STEP} <= {*step}]
    if not complete:
        return None
    sources = dict(zip((*STEP, "held_out"), (*STEP, "watched"), strict=True))
    columns: Columns = {"step": list(range(len(complete)))}
    try:
        for column, key in sources.items():
            values = [step.get(key) for step in complete]
            columns[column] = [None if value is None else float(value) for value in values]
    except (TypeError, ValueError, OverflowError):  # another attribute of the same name
        return None
    return columns


def _rows(weights: Coefficients, places: Iterable[np.ndarray]) -> Columns:
    classes: list[int] = []
    features: list[str | None] = []
    values, scales = [], []
    for code, w, b, features_of_class in zip(
        weights.classes(), weights.W, weights.b, places, strict=True
    ):
        classes += [code] * (1 + len(features_of_class))
        features += [None, *(weights.names[j] for j in features_of_class.tolist())]
        values += [[b], w[features_of_class]]
        scales += [[1.0], weights.scale[features_of_class]]
    return {
        "class": np.array(classes),
        "feature": features,
        "value": np.concatenate(values),
        "scale": np.concatenate(scales),
    }
