"""Optional results of a fit as columns of the tables in workflow/schemas.

Each function returns a mapping from column to values, without the columns that identify the fit, or None if the fit
has no such result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from linclass_study.pipeline.coefficients import Coefficients
from linclass_study.pipeline.fitted import Candidate
from linclass_study.processes.guarded_child import reason

Columns = dict[str, Any]

LARGEST = 300  # coefficients of a class in a fit
LARGEST_ON_PATH = 30
STEP = ("passes", "seconds", "objective", "gradient_norm")


def coefficients(found: Coefficients | None) -> Columns | None:
    """Intercept (its feature is null) and largest coefficients of each class."""
    if found is None:
        return None
    rows = _rows(found, found.largest(LARGEST))
    return rows | {"features": np.full(len(rows["value"]), len(found.names))}


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


def path_table(found: Sequence[tuple[float, Coefficients]] | None) -> Columns | None:
    """Coefficients at each strength, of the features with the largest coefficients anywhere on the path."""
    if not found:
        return None
    first = found[0][1]
    highest = np.max([np.abs(known.W * known.scale) for _, known in found], axis=0)
    largest = Coefficients(first.names, highest, first.b, np.ones_like(first.scale))
    parts = [
        (strength, _rows(known, largest.largest(LARGEST_ON_PATH))) for strength, known in found
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
    try:
        columns: Columns = {name: [_real(step[name]) for step in complete] for name in STEP}
        held_out = [_real(step.get("watched")) for step in complete]
    except (TypeError, OverflowError):  # an attribute of the same name with another meaning
        return None
    return {"step": list(range(len(complete))), **columns, "held_out": held_out}


def _real(value: Any) -> float | None:
    """Convert to float; a foreign estimator's value may have any type."""
    if value is None:
        return None
    if not isinstance(value, Real):
        raise TypeError(f"{type(value).__name__} is no real number")
    return float(value)


def _rows(found: Coefficients, places: Iterable[np.ndarray]) -> Columns:
    classes: list[int] = []
    features: list[str | None] = []
    values, scales = [], []
    for code, w, b, own in zip(found.classes(), found.W, found.b, places, strict=True):
        classes += [code] * (1 + len(own))
        features += [None, *(found.names[j] for j in own.tolist())]
        values += [[b], w[own]]
        scales += [[1.0], found.scale[own]]
    return {
        "class": np.array(classes),
        "feature": features,
        "value": np.concatenate(values),
        "scale": np.concatenate(scales),
    }
