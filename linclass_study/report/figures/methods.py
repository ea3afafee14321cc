"""Every fold of every method on one data set: the folds as dots, their mean with its interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from linclass.evaluation import metrics
from linclass.evaluation.comparisons.t_tests import t_interval
from linclass.plotting import dots
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.analysis.tuned import grid_end_note, marked
from linclass_study.analysis.wording import metric_title, metric_words, units
from linclass_study.report.drawing import style
from linclass_study.report.drawing.labels import mark_left_out
from linclass_study.report.drawing.panels import baselines
from linclass_study.report.drawing.style import INK, MUTED
from linclass_study.report.figure_files import ReportFigure

ROW = 0.3  # inches of a method's row
MAX_METHODS = 30  # methods at most; the others are in the tables
LOWER = 0.2  # offset of the mean below the dots, in rows
# the data set's own test set
DIAMOND: Any = {"markersize": 5, "markerfacecolor": "none", "markeredgecolor": style.INK}
DOTS = 90  # dots that fit beside each other on the axis


def methods(outcome: Outcome, dataset: str) -> ReportFigure:
    """Every fold of every method on one data set: the folds as dots, their mean with its interval."""
    every = folds_of_methods(outcome, dataset)
    drawn = [method for method in every if method["folds"] or method["official"] is not None]
    words = metric_words(outcome.metric)
    if not drawn:
        return ReportFigure.nothing(f"no fit on {dataset} gave a value of {words}")

    places = best_and_baseline(outcome, every)
    shown = [every[i] for i in places]
    names = marked(outcome, [method["method"] for method in shown])
    names = [style.wrapped(name, 32) for name in names]
    longest = max(len(line) for name in names for line in name.split("\n"))
    left = min(0.35, 0.02 + 0.0105 * longest)  # of the figure's width
    height = ROW * len(shown) + 0.95
    figure = style.canvas(7.2, height)
    axes = figure.add_axes((left, 0.5 / height, 0.98 - left, ROW * len(shown) / height))
    axes.set(xlim=_limits([m for m in shown if m in drawn] or drawn), ylim=(len(shown) - 0.5, -0.5))
    for row, method in enumerate(shown):
        _draw_row(axes, row, method)
    mark_left_out(axes, range(len(every)), places)
    axes.set_yticks(range(len(shown)), names, linespacing=0.95)
    for label in axes.get_yticklabels():
        label.set_fontsize(6.8 if "\n" in label.get_text() else 8)
    axes.set_xlabel(f"{words} on the held-out rows")
    axes.grid(axis="x")
    style.quiet(axes)
    over = units(outcome.evaluation, outcome.protocol(dataset))
    _key(figure, (left, height), over, any(m["official"] is not None for m in shown))

    caption = (
        f"{metric_title(outcome.metric)} of each method on {dataset}. Small dots: the {over}, those of equal "
        "value side by side. Large marker: their mean, with its 95\u00a0% interval (Student’s t; the "
        "standard error allows for overlapping training sets: Nadeau and Bengio, 2003). Methods are "
        "sorted by the mean."
    )
    if any(m["official"] is not None for m in shown):
        caption += " Open diamond: the data set’s own test set, one fit."
    if len(shown) < len(every):
        caption += (
            f" The best of {len(every)} methods and the baseline are shown, {MAX_METHODS} in all."
        )
    caption += grid_end_note(outcome, [method["method"] for method in shown])
    numbers = {"metric": outcome.metric, "dataset": dataset, "methods": every}
    return ReportFigure(
        figure, f"{over.capitalize()} of every method on {dataset}", caption, numbers
    )


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
            ends = t_interval(row["mean"], row["error"], row["n"], bounds=bounds)
            interval = [float(end) for end in ends]
        counts = fits.filter(method=row["method"])["status"].value_counts()
        status = counts.sort("count", "status", descending=[True, False])
        methods.append(
            {
                "method": row["method"],
                "folds": own.filter(protocol=outcome.protocol(dataset))["value"].to_list(),
                "mean": row["mean"],
                "sd": row["sd"],
                "interval": interval,
                "official": official[0] if len(official) else None,
                "status": status["status"][0] if len(status) else "not run",
            }
        )
    return methods


def best_and_baseline(outcome: Outcome, ranked: list[dict[str, Any]]) -> list[int]:
    """Places of the methods that are shown, of a ranking."""
    kept = baselines(outcome, [method["method"] for method in ranked])
    return sorted(sorted(range(len(ranked)), key=lambda i: (i not in kept, i))[:MAX_METHODS])


def _draw_row(axes: Axes, row: int, method: dict[str, Any]) -> None:
    folds = np.array(method["folds"], dtype=float)
    low, high = axes.get_xlim()
    if folds.size:
        places, offsets = beside(folds, (high - low) / DOTS)
        dots(axes, places, row - 0.14 + offsets, 2.7, MUTED, 0.6)
        if method["interval"]:
            axes.plot(method["interval"], [row + LOWER] * 2, color=INK, linewidth=1.6)
        options: Any = {"color": INK, "markeredgecolor": "white", "markeredgewidth": 0.6}
        axes.plot(method["mean"], row + LOWER, "o", markersize=7, **options)
    elif method["official"] is None:
        text = method["status"].replace("_", " ")
        axes.text(low, row, f"  {text}", color=style.MUTED, va="center", fontsize=8)
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


def _key(figure: Figure, place: tuple[float, float], over: str, official: bool) -> None:
    """Legend of the markers, in a line above the axes."""
    left, height = place
    key = figure.add_axes((left, 1 - 0.3 / height, 0.695, 0.2 / height))
    key.set_axis_off()
    key.set(xlim=(0, 5), ylim=(-1, 1))
    grey = style.MUTED
    dots(key, [0.06], [0], 2.7, grey, 0.8)
    key.text(0.14, 0, f"a {over[:-1]}", va="center", color=grey, fontsize=8)
    key.plot([0.85, 1.15], [0, 0], color=grey, linewidth=1.6)
    key.plot(1.0, 0, "o", markersize=6.5, color=grey, markeredgecolor="white")
    key.text(1.24, 0, "mean, 95 % interval", va="center", color=grey, fontsize=8)
    if official:
        key.plot(3.0, 0, "D", **DIAMOND)
        key.text(3.12, 0, "official test set", va="center", color=grey, fontsize=8)
