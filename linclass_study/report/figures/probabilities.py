"""Predicted probabilities of a few methods on a data set: their calibration and their histograms."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch

from linclass.evaluation.metrics.probabilities import BINS
from linclass.plotting import ReliabilityDisplay
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import HeldOut, held_out, mean_of
from linclass_study.analysis.tuned_values import grid_end_note
from linclass_study.analysis.wording import has_spread, rows_held_out, units
from linclass_study.report.drawing import style
from linclass_study.report.drawing.labels import key
from linclass_study.report.drawing.panels import (
    LEFT,
    MAX_PANELS,
    TICKS,
    most_panels,
    panels,
    selected_methods,
    selection_note,
)
from linclass_study.report.drawing.style import INK
from linclass_study.report.figure_files import ReportFigure
from linclass_study.report.table import format_number

NO_PROBABILITIES = "no method gave probabilities on {}, or they are too many"


def _with_probabilities(
    outcome: Outcome, dataset: str
) -> tuple[dict[str, HeldOut], dict[str, float]]:
    """(some methods → their held-out rows; all methods with probabilities → mean log loss)."""
    losses = mean_of(outcome, dataset, "log_loss")
    some = selected_methods(outcome, dataset, losses, most_panels(MAX_PANELS))
    rows = {method: held_out(outcome, dataset, method) for method in some}
    return {name: own for name, own in rows.items() if own and own.log_proba is not None}, losses


def calibration(outcome: Outcome, dataset: str) -> ReportFigure:
    """Reliability diagrams of a few methods on one data set: observed frequencies against predicted probabilities.

    All folds are pooled, in the bins of the metric calibration_error, which is that of single folds. Beside the error
    stands what it would be by chance (report/figures/probabilities.py).
    Murphy & Winkler (1977), Reliability of subjective probability forecasts; DeGroot & Fienberg (1983)
    """
    about = outcome.about(dataset)
    two = len(about["classes"]) == 2
    positive = about["classes"].index(about["positive"]) if two else 0
    found, able = _with_probabilities(outcome, dataset)
    numbers: dict[str, ReliabilityDisplay] = {}
    for method, rows in found.items():
        assert rows.log_proba is not None
        p = np.exp(rows.log_proba)
        numbers[method] = ReliabilityDisplay.of(rows.y_true, p, positive, rows.row)
    if not numbers:
        return ReportFigure.nothing(NO_PROBABILITIES.format(dataset))

    titles = {
        method: f"error {own.calibration_error:.3f} ({own.by_chance:.3f}\u00a0by\u00a0chance)"
        for method, own in numbers.items()
    }
    what = f"probability of “{about['positive']}”" if two else "probability of a class"
    figure, grid = panels(outcome, titles, f"predicted {what}", "share of the rows")
    for axes, own in zip(grid, numbers.values(), strict=True):
        own.plot(axes, color=INK, marker="o")
        axes.set(xlabel="", ylabel="")
        axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    each = " The classes, each against the rest, are pooled in a bin." if not two else ""
    those = rows_held_out(outcome.evaluation, outcome.protocol(dataset))
    caption = (
        f"Of the {those} in each of {BINS} bins of the predicted {what}, the share that is of the class, against the "
        "mean prediction; on the dashed diagonal both agree. "
        f"Larger marks stand for more rows.{each} {_error_sentences(outcome, dataset, two)} "
        f"{selection_note(outcome, list(numbers), len(able), 'with probabilities')}"
        f"{grid_end_note(outcome, numbers)}"
    )
    shown = {
        method: {f.name: np.asarray(getattr(own, f.name)).tolist() for f in fields(own)}
        for method, own in numbers.items()
    }
    about_all = {"dataset": dataset, "bins": BINS, "methods": shown}
    return ReportFigure(figure, f"Calibration on {dataset}", caption, about_all)


def _error_sentences(outcome: Outcome, dataset: str, two: bool) -> str:
    """What the number and the grey lines are, and why tables have another number."""
    protocol = outcome.protocol(dataset)
    classes = "" if two else ", averaged over the classes"
    over = units(outcome.evaluation, protocol)
    more = f" The metric in the tables is a mean over {over}, of fewer rows, and so mostly larger."
    return (
        f"The error is the mean distance of the rows from the diagonal{classes}; in brackets, what it would be on "
        "average if every probability were right, as each bin’s share is a matter of chance. Grey lines: where 95 % of "
        "the shares would be then (labels drawn from the probabilities; Bröcker and Smith, 2007)."
        f"{more * has_spread(outcome.evaluation, protocol)}"
    )


HISTOGRAM_BINS = 20
EDGES = np.linspace(0, 1, HISTOGRAM_BINS + 1)
SHARE_TICKS = (0, 0.02, 0.1, 0.25, 0.5, 1)
MAX_CLASSES = 6  # outlines in a panel: the most frequent classes


def probabilities(outcome: Outcome, dataset: str) -> ReportFigure:
    """Histograms of the predicted probabilities of a few methods on one data set, one for each true class."""
    about = outcome.about(dataset)
    classes, two = about["classes"], len(about["classes"]) == 2
    positive = classes.index(about["positive"]) if two else None
    found, losses = _with_probabilities(outcome, dataset)
    numbers = {name: histograms(rows, positive).tolist() for name, rows in found.items()}
    if not numbers:
        return ReportFigure.nothing(NO_PROBABILITIES.format(dataset))

    largest = sorted(range(len(classes)), key=lambda k: -about["class_counts"][k])[:MAX_CLASSES]
    some = sorted(largest)
    what = f"probability of “{about['positive']}”" if two else "probability of the row’s own class"
    titles = {method: f"log loss {format_number(losses[method])}" for method in numbers}
    shown = [classes[k] for k in some]
    y = "share of the class’s rows (square roots)"
    figure, grid = panels(outcome, titles, f"predicted {what}", y, shown)
    top = 1.05 * max(map(np.max, numbers.values()))
    for axes, shares in zip(grid, numbers.values(), strict=True):
        _draw_histograms(axes, shares, some, top)
    handles = [Patch(**_outline(k), linewidth=1.1) for k in some]
    key(figure, handles, shown, LEFT - 0.07, figure.get_figwidth() - LEFT - 0.1, mark=0.3)
    reading = "The more lies at 1, the better; what lies below 1/2 may be taken for another class."
    if two:
        reading = "The less the outlines overlap, the better the method distinguishes the classes."
    few = f" Of {len(classes)} classes the {MAX_CLASSES} most frequent are shown."
    rows = rows_held_out(outcome.evaluation, outcome.protocol(dataset))
    caption = (
        f"Histograms of the predicted {what}, over the {rows}, one outline for "
        "each class of rows; heights are on a scale of square roots, so that small shares are visible. "
        f"{reading}{few if len(classes) > MAX_CLASSES else ''} "
        f"{selection_note(outcome, list(numbers), len(losses), 'with probabilities')}"
        f"{grid_end_note(outcome, numbers)}"
    )
    about_all = {"dataset": dataset, "classes": classes, "edges": EDGES, "methods": numbers}
    return ReportFigure(figure, f"Predicted probabilities on {dataset}", caption, about_all)


def _draw_histograms(axes: Axes, shares: list[list[float]], some: list[int], top: float) -> None:
    """The outline of each class in `some`; heights on a scale of square roots."""
    for k in some:
        axes.stairs(shares[k], EDGES, fill=True, linewidth=1.1, **_outline(k))
    axes.set_yscale("function", functions=(np.sqrt, np.square))
    axes.set(xlim=(-0.01, 1.01), ylim=(0, top))
    axes.set_yticks([tick for tick in SHARE_TICKS if tick <= top])
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:g}")


def _outline(k: int) -> dict[str, Any]:
    """Colours and dashes of a class."""
    colour, _ = style.method_style(k)
    dashes = style.DASHES[k % len(style.DASHES)]
    return {"facecolor": to_rgba(colour, 0.18), "edgecolor": colour, "linestyle": dashes}


def histograms(rows: HeldOut, positive: int | None) -> np.ndarray:
    """Histograms (classes, HISTOGRAM_BINS): shares of the rows of each class by predicted probability of the positive
    class, or of their own class if there is none."""
    assert rows.log_proba is not None
    place = rows.y_true if positive is None else np.full(len(rows.y_true), positive)
    p = np.exp(rows.log_proba[np.arange(len(place)), place])
    cell = np.clip((p * HISTOGRAM_BINS).astype(int), 0, HISTOGRAM_BINS - 1)
    counts = np.bincount(
        rows.y_true * HISTOGRAM_BINS + cell, minlength=rows.n_classes * HISTOGRAM_BINS
    )
    counts = counts.reshape(rows.n_classes, HISTOGRAM_BINS)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
