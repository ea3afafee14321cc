"""Every fold of every method on one data set: the folds as dots, their mean with its interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from linclass.evaluation import metrics
from linclass.evaluation.comparisons.t_tests import t_interval
from linclass.plotting import dots
from linclass_study.analysis.comparison_with_control import baselines
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.analysis.tuned_values import grid_end_note, marked_labels
from linclass_study.analysis.wording import metric_title, metric_words, status_words, units
from linclass_study.report.drawing import style
from linclass_study.report.drawing.labels import LEGEND_LINE, key, key_height, mark_left_out
from linclass_study.report.drawing.style import INK, MUTED
from linclass_study.report.figure_files import ReportFigure

ROW = 0.3  # inches of a method's row
MAX_METHODS = 30  # methods at most; the others are in the tables
LOWER = 0.2  # offset of the mean below the dots, in rows
# the data set's own test set
DIAMOND: Any = {"markersize": 5, "markerfacecolor": "none", "markeredgecolor": style.INK}
HANDLE = 0.3  # inches of a line in the legend
DOTS = 20  # dots that fit beside each other in an inch


def methods(outcome: Outcome, dataset: str) -> ReportFigure:
    every = folds_of_methods(outcome, dataset)
    drawn = [method for method in every if method["folds"] or method["official"] is not None]
    words, of = metric_words(outcome.metric), outcome.labels.datasets[dataset]
    if not drawn:
        return ReportFigure.nothing(f"no fit on {of} gave a value of {words}")

    places = best_and_baseline(outcome, every)
    shown = [every[i] for i in places]
    names = marked_labels(outcome, [method["method"] for method in shown])
    width = style.width()
    names = [style.fitted(name, 0.36 * width, style.SMALL, 2) for name in names]
    left = 0.15 + style.widest(names, style.SMALL)
    over = units(outcome.evaluation, outcome.protocol(dataset))
    handles, texts = _key(over, any(m["official"] is not None for m in shown))
    beside = left - HANDLE  # of the names, if the legend has room there
    start = beside if key_height(texts, width - left, HANDLE) == LEGEND_LINE else 0.1
    above = 0.1 + key_height(texts, width - 0.2, HANDLE)
    x = style.broken(f"{words} on the held-out rows", width - left - 0.15)
    below = 0.5 + 0.15 * x.count("\n")
    figure, axes = style.framed(left, below, 0.15, above, ROW * len(shown))
    axes.set(xlim=_limits([m for m in shown if m in drawn] or drawn), ylim=(len(shown) - 0.5, -0.5))
    for row, method in enumerate(shown):
        _draw_row(axes, row, method, DOTS * (width - left))
    mark_left_out(axes, range(len(every)), places)
    axes.set_yticks(range(len(shown)), names, linespacing=0.95, fontsize=style.SMALL)
    axes.set_xlabel(x)
    axes.grid(axis="x")
    style.quiet(axes)
    key(figure, handles, texts, start, width - 0.2, HANDLE)

    caption = (
        f"{metric_title(outcome.metric)} of each method on {of}. Small dots: the {over}, those of equal "
        "value side by side. Large marker: their mean, with its 95\u00a0% interval (Student’s t; the "
        "standard error allows for overlapping training sets: Nadeau and Bengio, 2003). Methods are "
        "sorted by the mean."
    )
    if any(m["official"] is not None for m in shown):
        caption += " Open diamond: the data set’s own test set, one fit."
    some = f" The best of {len(every)} methods and the baseline are shown, {MAX_METHODS} in all."
    caption += some * (len(shown) < len(every))
    caption += grid_end_note(outcome, [method["method"] for method in shown])
    numbers = {"metric": outcome.metric, "dataset": dataset, "methods": every}
    return ReportFigure(figure, f"{over.capitalize()} of every method on {of}", caption, numbers)


def folds_of_methods(outcome: Outcome, dataset: str) -> list[dict[str, Any]]:
    """Numbers of the figure, best method first."""
    values = outcome.scores.filter(dataset=dataset, metric=outcome.metric).sort("repeat", "fold")
    fits = outcome.fits.filter(dataset=dataset)
    bounds = metrics.bounds(outcome.metric)
    methods = []
    for row in ranking(outcome, dataset).iter_rows(named=True):
        own = values.filter(method=row["method"])
        official = own.filter(protocol="official")["value"]
        interval = None
        if row["error"] is not None:
            interval = [*map(float, t_interval(row["mean"], row["error"], row["n"], bounds=bounds))]
        counts = fits.filter(method=row["method"])["status"].value_counts()
        status = counts.sort("count", "status", descending=[True, False])
        about = {
            "method": row["method"],
            "folds": own.filter(protocol=outcome.protocol(dataset))["value"].to_list(),
            "mean": row["mean"],
            "sd": row["sd"],
            "interval": interval,
            "official": official[0] if len(official) else None,
            "status": status["status"][0] if len(status) else "not run",
        }
        methods.append(about)
    return methods


def best_and_baseline(outcome: Outcome, ranked: list[dict[str, Any]]) -> list[int]:
    """Places of the methods that are shown, of a ranking."""
    first = baselines(outcome)
    order = sorted(range(len(ranked)), key=lambda i: (ranked[i]["method"] not in first, i))
    return sorted(order[:MAX_METHODS])


def _draw_row(axes: Axes, row: int, method: dict[str, Any], most: float) -> None:
    folds = np.array(method["folds"], dtype=float)
    low, high = axes.get_xlim()
    if folds.size:
        places, offsets = beside(folds, (high - low) / most)
        dots(axes, places, row - 0.14 + offsets, 2.7, MUTED, 0.6)
        if method["interval"]:
            axes.plot(method["interval"], [row + LOWER] * 2, color=INK, linewidth=1.6)
        options: Any = {"color": INK, "markeredgecolor": "white", "markeredgewidth": 0.6}
        axes.plot(method["mean"], row + LOWER, "o", markersize=7, **options)
    elif method["official"] is None:
        text = f"  {status_words(method['status'])}"
        axes.text(low, row, text, color=style.MUTED, va="center", fontsize=8)
    if method["official"] is not None:
        axes.plot(method["official"], row + LOWER, "D", markeredgewidth=0.9, **DIAMOND)


def beside(values: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions of dots without overlap: (nearly) equal values are placed in up to three columns.

    Returns positions along the axis, at most `width` from the values, and offsets from the row, in [−0.28, 0.28].
    """
    places, offsets = np.array(values, dtype=float), np.zeros(len(values))
    bins = np.round(values / width).astype(int)
    for bin_ in np.unique(bins):
        members = np.flatnonzero(bins == bin_)
        columns = min(-(-len(members) // 5), 3)
        for column in range(columns):
            stack = members[column::columns]
            k = len(stack)
            places[stack] += (column - (columns - 1) / 2) * width
            offsets[stack] = (np.arange(k) - (k - 1) / 2) * min(0.14, 0.56 / max(k - 1, 1))
    return places, offsets


def _limits(methods: list[dict[str, Any]]) -> tuple[float, float]:
    """Axis limits that contain all folds, means and test sets, and of the intervals as much as stays readable."""
    values = [v for m in methods for v in (*m["folds"], m["official"]) if v is not None]
    low, high = min(values), max(values)
    span = (high - low) or max(abs(high), 1.0) * 0.1
    ends = [end for m in methods for end in m["interval"] or ()]
    low = max(min([low, *ends]), low - 0.25 * span)
    high = min(max([high, *ends]), high + 0.25 * span)
    return low - 0.03 * span, high + 0.03 * span


def _key(over: str, official: bool) -> tuple[list[Line2D], list[str]]:
    """Handles and texts of the legend."""
    dot = Line2D([], [], linestyle="", marker="o", markersize=2.5, color=MUTED)
    mean = Line2D([], [], linewidth=1.6, marker="o", markersize=6, color=INK)
    test = Line2D([], [], linestyle="", marker="D", **DIAMOND)
    texts = [f"a {over[:-1]}", "mean, 95 % interval", "official test set"]
    return [dot, mean, test][: 2 + official], texts[: 2 + official]
