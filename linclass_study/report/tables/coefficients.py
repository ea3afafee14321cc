"""Coefficients of the linear methods of a data set, for the features that are largest in the best of them."""

from __future__ import annotations

from typing import Any

import polars as pl

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.report.figures.coefficients import (
    best_linear,
    fits_and_units,
    is_standardized,
    oriented,
    over_folds,
    sentence_on_folds,
)
from linclass_study.report.table import Column, Number, ReportTable

PLACE, SECTION, PER_DATASET = 23, "dataset", True
METHODS = 6
FEATURES = 40  # of a class


def make(outcome: Outcome, dataset: str) -> ReportTable | None:
    about = outcome.about(dataset)
    first = None if about["status"] == "unavailable" else best_linear(outcome, dataset)
    if first is None:
        return None
    method, known = first
    weighed = {method: effects(oriented(known, about))}
    fits, over = fits_and_units(outcome, dataset, known)
    of_folds = {sentence_on_folds(known, over): None}
    unit = "standard deviation" if is_standardized(known) else "unit"
    left_out: dict[str, list[str]] = {}  # why → methods
    ranked = ranking(outcome, dataset)["method"].to_list()
    for place, other in enumerate(ranked):
        if other == method:
            continue
        if len(weighed) == METHODS:
            left_out[f"there is room for {METHODS}"] = [m for m in ranked[place:] if m != method]
            break
        weights = outcome.kept("coefficients", dataset, other)
        weights = None if weights is None else weights.filter(protocol=outcome.protocol(dataset))
        if weights is None or weights.is_empty():
            left_out.setdefault("no coefficients of named features", []).append(other)
        elif is_standardized(weights) == is_standardized(known):
            weighed[other] = effects(oriented(weights, about))
            of_folds[sentence_on_folds(weights, over)] = None
        else:
            left_out.setdefault(f"not per {unit}", []).append(other)
    classes = about["classes"]
    order = sorted(
        weighed[method], key=lambda key: (key[0], -abs(weighed[method][key].value or 0), key[1])
    )
    per_class = {code: [key for key in order if key[0] == code] for code, _ in order}
    shown = [key for keys in per_class.values() for key in keys[:FEATURES]]
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
    towards = "the class" if several else str(about["positive"])
    caption = (
        f"Coefficients per {unit} of the feature{f', mean ± standard deviation over the {over}' if fits > 1 else ''}: "
        f"positive ones favour {towards}. Scores of different methods have different scales, so compare signs and "
        f"order.{more}"
        f"{''.join(of_folds)}{_sentence_on_left_out(left_out)} All are in runs/…/coefficients.parquet."
    )
    return ReportTable(f"Coefficients on {dataset}", caption, columns, rows)


def _sentence_on_left_out(left_out: dict[str, list[str]]) -> str:
    """Left out: lda (not per standard deviation); 7 others (there is room for 6)."""
    parts = [
        f"{', '.join(names) if len(names) <= METHODS else f'{len(names)} others'} ({why})"
        for why, names in left_out.items()
    ]
    return f" Left out: {'; '.join(parts)}." if parts else ""


def effects(known: pl.DataFrame) -> dict[tuple[int, str], Number]:
    """(class, feature) → mean and standard deviation of value · scale over the folds."""
    return {
        key: Number(float(effect.mean()), float(effect.std(ddof=1)) if len(effect) > 1 else None)
        for key, effect in over_folds(known).items()
    }
