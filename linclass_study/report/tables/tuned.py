"""Tuned values on one data set: how often inner cross-validation, or an estimator itself, chose them."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from linclass_study.analysis.metric_words import metric_words
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned import chosen_values
from linclass_study.files.tables import FIT
from linclass_study.report.number_format import tuned_value
from linclass_study.report.table import Column, Number, ReportTable

PLACE, SECTION, PER_DATASET = 22, "dataset", True
VALUES = 3  # values of a parameter that are listed


def make(outcome: Outcome, dataset: str) -> ReportTable | None:
    if outcome.about(dataset)["status"] == "unavailable":
        return None
    chosen = chosen_values(outcome).filter(dataset=dataset, protocol=outcome.protocol(dataset))
    rows: list[list[Any]] = []
    of_methods = chosen.partition_by("method", as_dict=True)
    for method, entry in outcome.methods.items():
        own = of_methods.get((method,), chosen.clear())
        tune = entry.get("tune") or {}
        best = _inner_score(own) if tune else None
        by_itself = sorted({*own["parameter"]} - {*tune})
        for parameter in [*tune, *by_itself]:
            values = own.filter(parameter=parameter)
            if not values.height:
                continue
            phrase, share = _values(values)
            grid = parameter in tune or bool(values["candidates"].sum())
            rows.append(
                [method, parameter, phrase, share if grid else None, best if tune else None]
            )
    if not rows:
        return None
    columns = [
        Column("method", "Method", "method"),
        Column("parameter", "Parameter"),
        Column("chosen", "Chosen, and in how many fits"),
        Column("at_the_end", "At an end of the grid", "number", "share of the fits"),
        Column("inner", f"Inner {metric_words(outcome.metric)}", "number"),
    ]
    caption = (
        "What the inner folds, or the estimator itself, chose in each of the fits. "
        f"The inner {metric_words(outcome.metric)} is that of the "
        "chosen candidates, mean ± standard deviation over the fits; the choice maximized it, so it is optimistic."
    )
    return ReportTable(f"Tuned values on {dataset}", caption, columns, rows)


def _values(own: pl.DataFrame) -> tuple[str, float | None]:
    """('0.1 in 7, 0.01 in 3', share of the fits at an end of the grid); of many numbers their median and range."""
    share = float(own["edge"].is_not_null().to_numpy().mean())
    numbers = [json.loads(value) for value in own["value"].unique()]
    if len(numbers) > VALUES and all(isinstance(value, float) for value in numbers):
        each = sorted(map(json.loads, own["value"]))
        low, middle, high = (
            tuned_value(json.dumps(each[i])) for i in (0, (len(each) - 1) // 2, -1)
        )
        return f"{low} to {high}, median {middle}", share
    counts = own["value"].value_counts().sort("count", "value", descending=[True, False])
    phrases = [
        f"{tuned_value(value)} in {count}" for value, count in counts.head(VALUES).iter_rows()
    ]
    rest = int(counts["count"].slice(VALUES).sum())
    phrases += [f"others in {rest}"] if rest else []
    return ", ".join(phrases), share


def _inner_score(own: pl.DataFrame) -> Number | None:
    """Mean and standard deviation over the fits of a run, which have a row for each parameter."""
    means = own.unique(FIT, keep="first", maintain_order=True)["inner"].drop_nulls()
    if not len(means):
        return None
    values = means.to_numpy()
    return Number(float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else None)
