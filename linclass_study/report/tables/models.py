"""What the models of a data set are like: confusions of the best one, tuned values and coefficients."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.analysis.tuned_values import chosen_values
from linclass_study.analysis.wording import metric_words, rows_held_out
from linclass_study.files.tables import FIT
from linclass_study.report.figure_files import figure_numbers
from linclass_study.report.figures.coefficients import (
    best_linear,
    fits_and_units,
    is_standardized,
    oriented,
    over_folds,
    sentence_on_folds,
)
from linclass_study.report.figures.confusion import per_class
from linclass_study.report.table import Column, Number, ReportTable, format_tuned


def per_class_scores(outcome: Outcome, dataset: str) -> ReportTable | None:
    """Precision, recall and F1 of each class for the best method on a data set, and its most frequent confusion."""
    if not (found := _confusion_of(outcome, dataset)):
        return None
    of, best = outcome.labels.datasets[dataset], found["best"]
    counts, names = np.array(found["counts"]), found["columns"]
    recall, precision = per_class(counts)
    with np.errstate(invalid="ignore"):
        f1 = 2 * precision * recall / (precision + recall)
    wrong = counts * (np.arange(counts.shape[1]) != np.arange(len(counts))[:, None])
    rows = [
        [
            name,
            int(counts[k].sum()),
            int(counts[:, k].sum()),
            *(None if np.isnan(rate[k]) else float(rate[k]) for rate in (precision, recall, f1)),
            names[int(wrong[k].argmax())] if wrong[k].any() else None,
            int(wrong[k].max()),
        ]
        for k, name in enumerate(found["classes"])
    ]
    columns = [
        Column("class", "Class"),
        Column("rows", "Rows", "count", "held-out rows of the class"),
        Column("predicted", "Predicted", "count", "held-out rows that are predicted as the class"),
        Column("precision", "Precision", "number"),
        Column("recall", "Recall", "number"),
        Column("f1", "F1", "number"),
        Column("most_often_taken_for", "Most often taken for"),
        Column("taken_for", "Rows taken for it", "count"),
    ]
    held_out = rows_held_out(outcome.evaluation, outcome.protocol(dataset))
    caption = (
        f"Each class of {of} as {best}, the best method, predicts it, over the {held_out}. "
        f"exhibits/confusion-{dataset}/numbers.json has the whole matrix."
    )
    return ReportTable(f"Classes of {of}", caption, columns, rows)


def _confusion_of(outcome: Outcome, dataset: str) -> dict[str, Any]:
    """Numbers of the figure of the confusion matrix, and the label of the `best` method; {} if it was not drawn."""
    found = figure_numbers(outcome.results / "exhibits" / f"confusion-{dataset}") or {}
    return found and found | {"best": outcome.labels.methods.get(found["method"], found["method"])}


MAX_CLASSES = 20  # classes; larger matrices are unreadable


def confusion(outcome: Outcome, dataset: str) -> ReportTable | None:
    """The confusion matrix of the best method on a data set, in numbers."""
    found = _confusion_of(outcome, dataset)
    if not found or len(found["columns"]) > MAX_CLASSES:
        return None
    of, best = outcome.labels.datasets[dataset], found["best"]
    columns = [Column("true_class", "True class")]
    columns += [Column(f"predicted_{name}", str(name), "count") for name in found["columns"]]
    rows = [[name, *own] for name, own in zip(found["classes"], found["counts"], strict=True)]
    held_out = rows_held_out(outcome.evaluation, outcome.protocol(dataset))
    caption = (
        f"What {best}, the best method, predicts on {of}: {held_out}, by their true "
        "class (rows of the table) and the predicted one (columns)."
    )
    return ReportTable(f"Confusion matrix on {of}", caption, columns, rows)


LISTED_VALUES = 3  # values of a parameter that are listed


def tuned(outcome: Outcome, dataset: str) -> ReportTable:
    """Tuned values on one data set: how often inner cross-validation, or an estimator itself, chose them."""
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
            if values.height:
                phrase, share = _chosen_values(values)
                grid = parameter in tune or bool(values["candidates"].sum())
                rows.append([method, parameter, phrase, share if grid else None, best])
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
    title = f"Tuned values on {outcome.labels.datasets[dataset]}"
    return ReportTable(title, caption, columns, rows)


def _chosen_values(own: pl.DataFrame) -> tuple[str, float | None]:
    """('0.1 in 7, 0.01 in 3', share of the fits at an end of the grid); of many numbers their median and range."""
    share = float(own["edge"].is_not_null().to_numpy().mean())
    numbers = [json.loads(value) for value in own["value"].unique()]
    if len(numbers) > LISTED_VALUES and all(isinstance(value, float) for value in numbers):
        each = sorted(map(json.loads, own["value"]))
        low, middle, high = (f"{each[i]:.4g}" for i in (0, (len(each) - 1) // 2, -1))
        return f"{low} to {high}, median {middle}", share
    counts = own["value"].value_counts().sort("count", "value", descending=[True, False])
    listed = counts.head(LISTED_VALUES).iter_rows()
    phrases = [f"{format_tuned(value)} in {count}" for value, count in listed]
    rest = int(counts["count"].slice(LISTED_VALUES).sum())
    phrases += [f"others in {rest}"] if rest else []
    return ", ".join(phrases), share


def _inner_score(own: pl.DataFrame) -> Number | None:
    """Mean and standard deviation over the fits of a run, which have a row for each parameter."""
    means = own.unique(FIT, keep="first", maintain_order=True)["inner"].drop_nulls()
    return _mean(means.to_numpy()) if len(means) else None


MAX_METHODS = 6
MAX_FEATURES = 40  # of a class


def coefficients(outcome: Outcome, dataset: str) -> ReportTable | None:
    """Coefficients of the linear methods of a data set, for the features that are largest in the best of them."""
    about = outcome.about(dataset)
    first = best_linear(outcome, dataset)
    if first is None:
        return None
    method, known = first
    weighed = {method: effects(oriented(known, about))}
    fits, over = fits_and_units(outcome, dataset, known)
    of_folds = {sentence_on_folds(known, over): None}
    unit = "standard deviation" if is_standardized(known) else "unit"
    left_out: dict[str, list[str]] = {}  # why → methods
    for other in ranking(outcome, dataset)["method"]:
        if other == method:
            continue
        if len(weighed) == MAX_METHODS:
            left_out.setdefault(f"there is room for {MAX_METHODS}", []).append(other)
            continue
        weights = outcome.run_table("coefficients", dataset, other)
        weights = None if weights is None else weights.filter(protocol=outcome.protocol(dataset))
        if weights is None or weights.is_empty():
            left_out.setdefault("no coefficients of named features", []).append(other)
        elif is_standardized(weights) != is_standardized(known):
            left_out.setdefault(f"not per {unit}", []).append(other)
        else:
            weighed[other] = effects(oriented(weights, about))
            of_folds[sentence_on_folds(weights, over)] = None
    classes = about["classes"]
    best = weighed[method]
    order = sorted(best, key=lambda key: (key[0], -abs(best[key].value or 0), key[1]))
    per_class = {code: [key for key in order if key[0] == code] for code, _ in order}
    shown = [key for keys in per_class.values() for key in keys[:MAX_FEATURES]]
    rows: list[list[Any]] = [
        [str(classes[code]), feature, *(own.get((code, feature)) for own in weighed.values())]
        for code, feature in shown
    ]
    several = len(classes) > 2
    columns = [Column("class", "Class"), Column("feature", "Feature")]
    columns += [Column(name, name, "number") for name in weighed]
    if not several:
        columns, rows = columns[1:], [row[1:] for row in rows]
    more = f" Of {len(order)} the largest are shown." if len(order) > len(shown) else ""
    parts = []  # lda (not per standard deviation); 7 others (there is room for 6)
    for why, names in left_out.items():
        named = ", ".join(outcome.labels.methods[name] for name in names)
        parts.append(f"{named if len(names) <= MAX_METHODS else f'{len(names)} others'} ({why})")
    omitted = f" Left out: {'; '.join(parts)}." if parts else ""
    towards = "the class" if several else str(about["positive"])
    caption = (
        f"Coefficients per {unit} of the feature{f', mean ± standard deviation over the {over}' if fits > 1 else ''}: "
        f"positive ones favour {towards}. Scores of different methods have different scales, so compare signs and "
        f"order.{more}"
        f"{''.join(of_folds)}{omitted} All are in runs/…/coefficients.parquet."
    )
    title = f"Coefficients on {outcome.labels.datasets[dataset]}"
    return ReportTable(title, caption, columns, rows)


def effects(known: pl.DataFrame) -> dict[tuple[int, str], Number]:
    """(class, feature) → mean and standard deviation of value · scale over the folds."""
    return {key: _mean(effect) for key, effect in over_folds(known).items()}


def _mean(values: np.ndarray) -> Number:
    """Mean and standard deviation."""
    return Number(float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else None)
