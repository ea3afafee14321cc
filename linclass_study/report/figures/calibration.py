"""Reliability diagrams of a few methods on one data set: observed frequencies against predicted probabilities.

All folds are pooled, in the bins of the metric calibration_error, which is that of single folds. Beside the error
stands what it would be by chance (report/reliability.py).
Murphy & Winkler (1977), Reliability of subjective probability forecasts; DeGroot & Fienberg (1983)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linclass.evaluation.metrics.calibration_error import BINS
from linclass_study.analysis.grid_ends import grid_end_note
from linclass_study.analysis.held_out_predictions import held_out, mean_of
from linclass_study.analysis.protocol_names import has_spread, rows_held_out, units
from linclass_study.report.drawing import style
from linclass_study.report.drawing.panels import TICKS, panels
from linclass_study.report.drawing.style import method_style
from linclass_study.report.exhibit import Exhibit
from linclass_study.report.method_selection import selected_methods, selection_note
from linclass_study.report.reliability import reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linclass_study.analysis.outcome import Outcome

PLACE, SECTION, PER_DATASET = 5, "dataset", True


def draw(outcome: Outcome, dataset: str) -> Exhibit:
    about = outcome.about(dataset)
    if about["status"] == "unavailable":
        return Exhibit.nothing(f"{dataset} is unavailable")
    able, two = mean_of(outcome, dataset, "log_loss"), len(about["classes"]) == 2
    numbers: dict[str, dict[str, Any]] = {}
    for method in selected_methods(outcome, dataset, able):
        rows = held_out(outcome, dataset, method)
        if rows is not None and rows.log_proba is not None:
            classes = [about["classes"].index(about["positive"])] if two else range(rows.n_classes)
            numbers[method] = reliability(rows, list(classes))
    if not numbers:
        return Exhibit.nothing(f"no method gave probabilities on {dataset}, or they are too many")

    titles = {
        method: f"error {own['calibration_error']:.3f} ({own['by_chance']:.3f} by chance)"
        for method, own in numbers.items()
    }
    what = f"probability of “{about['positive']}”" if two else "probability of a class"
    figure, grid = panels(outcome, titles, f"predicted {what}", "share of the rows")
    for axes, (method, own) in zip(grid, numbers.items(), strict=True):
        _draw(axes, own, *method_style(outcome.position(method)))
    each = " The classes, each against the rest, are pooled in a bin." if not two else ""
    those = rows_held_out(outcome.evaluation, outcome.protocol(dataset))
    caption = (
        f"Of the {those} in each of {BINS} bins of the predicted {what}, the share that is of the class, against the "
        "mean prediction; on the dashed diagonal both agree. "
        f"Larger marks stand for more rows.{each} {_error_sentences(outcome, dataset, two)} "
        f"{selection_note(outcome, list(numbers), len(able), 'with probabilities')}"
        f"{grid_end_note(outcome, numbers)}"
    )
    return Exhibit(
        figure,
        f"Calibration on {dataset}",
        caption,
        {"dataset": dataset, "bins": BINS, "methods": numbers},
    )


def _error_sentences(outcome: Outcome, dataset: str, two: bool) -> str:
    """What the number and the grey lines are, and why tables have another number."""
    protocol = outcome.protocol(dataset)
    classes = "" if two else ", averaged over the classes"
    sentences = (
        f"The error is the mean distance of the rows from the diagonal{classes}; in brackets, what it would be on "
        "average if every probability were right, as each bin’s share is a matter of chance. Grey lines: where 95 % of "
        "the shares would be then (labels drawn from the probabilities; Bröcker and Smith, 2007)."
    )
    if has_spread(outcome.evaluation, protocol):
        over = units(outcome.evaluation, protocol)
        sentences += (
            f" The metric in the tables is a mean over {over}, of fewer rows, and so mostly larger."
        )
    return sentences


def _draw(axes: Axes, own: dict[str, Any], colour: str, marker: str) -> None:
    x, y, low, high = (np.array(own[name]) for name in ("predicted", "share", "low", "high"))
    size = 1.5 + 6 * np.sqrt(np.array(own["rows"]) / max(own["rows"]))
    axes.plot((0, 1), (0, 1), color=style.MUTED, linewidth=0.7, linestyle="--")
    ends = np.column_stack([low, high, np.full_like(x, np.nan)]).ravel()
    axes.plot(np.repeat(x, 3), ends, color=style.MUTED, linewidth=2.5, alpha=0.35)
    axes.plot(x, y, color=colour, linewidth=0.8, alpha=0.5)
    for place, height, wide in zip(x, y, size, strict=True):
        axes.plot(place, height, marker, color=colour, markersize=wide)
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
