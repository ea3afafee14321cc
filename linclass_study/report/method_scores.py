"""Scores of methods on a data set for each metric: means with their spread, and whether the best is clearly better.

All metrics of a protocol are computed at once from an array (metrics, methods, folds) with NaN for missing values. Only
methods whose every planned fit has a value compete. The best is clearly better if the corrected t test tells it from
every other method, with Holm's correction over these comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np
import polars as pl

from linclass.evaluation import metrics
from linclass.evaluation.comparisons.t_tests import (
    corrected_error,
    corrected_t_against_control,
    fold_moments,
    t_interval,
)
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import planned_fits, ranking
from linclass_study.analysis.within_dataset import ALPHA, comparison_within
from linclass_study.report.table import Number

#: what the marks of a column mean, for captions
MARKS = (
    "Underlined: the best of a column; bold if it is significantly better than every other method (corrected t test, "
    "Holm’s correction)."
)

#: endings of metrics that are in tables/summary.csv only
AVERAGES = ("_macro", "_weighted", "_micro")


Array = np.ndarray


OfMethods = dict[str, Number]


def scores_by_metric(
    outcome: Outcome,
    dataset: str,
    names: Collection[str],
    protocol: str = "",
    intervals: bool = False,
) -> dict[str, OfMethods]:
    """Metric → method → mean over the folds, with its standard deviation or its corrected 95 % interval.

    Unknown metrics have no values.
    """
    protocol = protocol or outcome.protocol(dataset)
    methods = list(outcome.methods)
    wanted, names = list(names), [name for name in names if "." in name or name in metrics.names()]
    scores = outcome.scores.filter(
        pl.col("metric").is_in(names), dataset=dataset, protocol=protocol
    )
    fits = outcome.fits.filter(dataset=dataset, protocol=protocol)
    values = fold_values(scores, names, methods)
    planned, fitted, ratio, step = fits_of_methods(fits, methods)
    count = (~np.isnan(values)).sum(axis=2)
    whole = (count > 0) & (np.minimum(count, fitted) == planned)
    found = {metric: dict.fromkeys(methods, Number(None)) for metric in wanted}
    for metric, own, has_all in zip(names, values, whole, strict=True):
        column = _column(metric, own, has_all, ratio, step, intervals)
        found[metric] = dict(zip(methods, column, strict=True))
    return found


def _column(
    metric: str, values: Array, whole: Array, ratio: Array, step: Array, intervals: bool
) -> list[Number]:
    """Numbers of one metric from values (methods, folds), and whole, n_test/n_train and 1/n_test (methods,)."""
    sign = 1.0 if metrics.greater_is_better(metric) else -1.0
    with np.errstate(invalid="ignore"):
        mean, sd, n = fold_moments(values.T)
        error = corrected_error(sd, np.maximum(n, 1), ratio, step)
        low, high = t_interval(mean, error, n, bounds=metrics.bounds(metric))
        top = np.nan if not whole.any() else (sign * mean[whole]).max()
        best = whole & (np.abs(sign * mean - top) < 1e-12)
        finite = whole & np.isfinite(values[:, ~np.isnan(values).all(axis=0)]).all(axis=1)
        clear = np.zeros_like(best)
        if finite.sum() > 1 and n[finite].max() > 1 and best.sum() == 1 and finite[best].all():
            table, first = sign * values[finite].T, int(np.flatnonzero(best[finite])[0])
            common = float(ratio[whole].mean()), float(step[whole].mean())
            p = corrected_t_against_control(table, first, *common).holm
            clear[best] = (np.delete(p, first) < ALPHA).all()
    known, ends = np.isfinite(error) & intervals, zip(low.tolist(), high.tolist(), strict=True)
    none: Any = None
    parts = (
        np.where(n > 0, mean, none),
        np.where(np.isnan(sd) | intervals, none, sd),
        [end if has else None for end, has in zip(ends, known, strict=True)],
        *(best.tolist(), clear.tolist(), (~whole).tolist()),
    )
    return [Number(*of_method) for of_method in zip(*parts, strict=True)]


def fold_values(scores: pl.DataFrame, names: list[str], methods: list[str]) -> np.ndarray:
    known = scores.filter(pl.col("method").is_in(methods))
    folds = known.select("repeat", "fold").unique().sort("repeat", "fold").with_row_index("place")
    known = known.join(folds, on=["repeat", "fold"])
    metric, method = (
        known[column].replace_strict(order, range(len(order)), return_dtype=pl.Int64).to_numpy()
        for column, order in (("metric", names), ("method", methods))
    )
    values = np.full((len(names), len(methods), folds.height), np.nan)
    values[metric, method, known["place"].to_numpy()] = known["value"].to_numpy()
    return values


def fits_of_methods(
    fits: pl.DataFrame, methods: list[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For each method the number of planned and of successful fits, the mean of n_test/n_train, and one row of
    the mean n_test."""
    found = pl.DataFrame({"method": methods}).join(
        planned_fits(fits, "method"), on="method", how="left", maintain_order="left"
    )
    counts = found.select("planned", "fitted").fill_null(0).to_numpy()
    shares = found.select("share", "step").cast(pl.Float64).fill_null(np.nan).to_numpy()
    return counts[:, 0], counts[:, 1], shares[:, 0], shares[:, 1]


def behind_best(outcome: Outcome, dataset: str) -> OfMethods:
    """Method → by how much its mean is behind the best on the data set, with the interval of the paired difference."""
    found = comparison_within(outcome, dataset)
    if not found.enough:
        return {}
    best = found.against(found.methods[0])
    numbers = {found.methods[0]: Number(0.0)}
    for j, name in enumerate(found.methods[1:], 1):
        interval, clear = (float(best.lower[j]), float(best.upper[j])), bool(best.holm[j] < ALPHA)
        numbers[name] = Number(float(best.difference[j]), interval=interval, clear=clear)
    return numbers


def excess(outcome: Outcome, dataset: str, protocol: str) -> OfMethods:
    """Method → excess of its error over the Bayes error, ± standard error; empty if the latter is unknown."""
    bayes = outcome.about(dataset).get("bayes_error")
    if bayes is None or "accuracy" not in metrics.names():
        return {}
    ranked = ranking(outcome, dataset, "accuracy", protocol)
    return {
        row["method"]: Number(
            None if row["mean"] is None else 1 - row["mean"] - bayes["value"],
            None if row["error"] is None else math.hypot(row["error"], bayes["within"]),
            partial=not row["whole"],
        )
        for row in ranked.iter_rows(named=True)
    }
