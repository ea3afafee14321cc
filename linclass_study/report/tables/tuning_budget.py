"""The tuning budget: what is tuned of each method, over what, and what stays fixed, read from the entries alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from linclass.base.many_fits import COUNT
from linclass.kernels.functions.base import WIDTHS
from linclass.tuning import tuning
from linclass_study.analysis.outcome import Outcome
from linclass_study.pipeline.method import Method
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 7, "trust", False
BY_FORMULA = {"evidence": "by the evidence", "ledoit_wolf": "by the formula of Ledoit and Wolf"}
LISTED = 8  # values that are written out


def make(outcome: Outcome) -> ReportTable | None:
    columns = [
        Column("method", "Method", "method"),
        Column("tuned", "Tuned over"),
        Column("fixed", "Fixed"),
    ]
    rows: list[list[Any]] = [
        [name, *budget(entry, outcome.parameters.get(name, {}))]
        for name, entry in outcome.methods.items()
    ]
    inner = outcome.evaluation["inner_folds"]
    caption = (
        f"All combinations are compared on the same {inner} inner folds of each training set. A path has values from "
        "the training rows and goes on beyond an end at which the best one is. Fixed are the parameters that the study "
        "sets, and those that could be tuned, also with the defaults of their class."
    )
    return ReportTable("The tuning budget", caption, columns, rows) if rows else None


def budget(entry: Mapping[str, Any], facts: Mapping[str, Any]) -> tuple[str, str]:
    """(the tuned parameters with their values, or 'untuned'; the parameters that the entry fixes, and those that could
    be tuned and are not, by the facts of config/estimator_check.py)"""
    by_default = facts.get("by_default", ())
    tuned = [
        f"{name}: {_values(name, spec)}{' (by default)' if name in by_default else ''}"
        for name, spec in (entry.get("tune") or {}).items()
    ]
    tuned += _by_itself(entry)
    defaults = {name: _shown(value) for name, value in facts.get("fixed", {}).items()}
    fixed = defaults | dict(_fixed(entry.get("params") or {}))
    chosen = {text.partition(":")[0] for text in tuned}
    shown = [f"{name} {value}" for name, value in fixed.items() if name not in chosen]
    return "; ".join(tuned) or "untuned", ", ".join(shown)


def _values(name: str, spec: Any) -> str:
    if tuning.is_path(spec):
        return f"path of {len(WIDTHS) if name.endswith('gamma') else COUNT}"
    values = [_shown(value) for value in tuning.listed_values(spec)]
    if len(values) <= LISTED:
        return ", ".join(values)
    return f"{values[0]} to {values[-1]} ({len(values)} values)"


def _by_itself(entry: Mapping[str, Any]) -> list[str]:
    """What a model of linclass chooses in its fit."""
    if not entry["classifier"].startswith("linclass."):
        return []
    try:
        params = Method.from_entry(entry).estimator().get_params(deep=False)
    except ValueError:  # results of another version may name what this one does not have
        return []
    if "strengths" in params:
        how = {"aic": "AIC", "bic": "BIC"}.get(params["rule"], "inner folds of its own")
        given = params["strengths"]
        which = f"path of {given}" if isinstance(given, int) else "its list"
        return [f"strength: {which}, by {how}"] if given is not None else []
    return [f"{name}: {BY_FORMULA[v]}" for name, v in params.items() if v in [*BY_FORMULA]]


def _fixed(params: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Names and values; of an estimator inside, its class and its parameters."""
    for name, value in params.items():
        if isinstance(value, Mapping) and "classifier" in value:
            yield f"{prefix}{name}", str(value["classifier"]).rpartition(".")[2]
            yield from _fixed(value.get("params") or {}, f"{prefix}{name}__")
        else:
            yield f"{prefix}{name}", _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return (
        "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )
