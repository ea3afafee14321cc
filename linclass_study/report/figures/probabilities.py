"""Histograms of the predicted probabilities of a few methods on one data set, one for each true class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linclass_study.analysis.grid_ends import grid_end_note
from linclass_study.analysis.held_out_predictions import HeldOut, held_out, mean_of
from linclass_study.analysis.protocol_names import rows_held_out
from linclass_study.report import number_format
from linclass_study.report.drawing import style
from linclass_study.report.drawing.panels import key_of_classes, panels
from linclass_study.report.exhibit import Exhibit
from linclass_study.report.method_selection import selected_methods, selection_note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linclass_study.analysis.outcome import Outcome

PLACE, SECTION, PER_DATASET = 6, "dataset", True
BINS = 20
EDGES = np.linspace(0, 1, BINS + 1)
TICKS = (0, 0.02, 0.1, 0.25, 0.5, 1)
CLASSES = 6  # outlines in a panel: the most frequent classes


def draw(outcome: Outcome, dataset: str) -> Exhibit:
    about = outcome.about(dataset)
    if about["status"] == "unavailable":
        return Exhibit.nothing(f"{dataset} is unavailable")
    classes, two = about["classes"], len(about["classes"]) == 2
    losses = mean_of(outcome, dataset, "log_loss")
    found = {
        name: held_out(outcome, dataset, name)
        for name in selected_methods(outcome, dataset, losses)
    }
    positive = classes.index(about["positive"]) if two else None
    numbers: dict[str, Any] = {
        method: histograms(rows, positive).tolist()
        for method, rows in found.items()
        if rows is not None and rows.log_proba is not None
    }
    if not numbers:
        return Exhibit.nothing(f"no method gave probabilities on {dataset}, or they are too many")

    largest = sorted(range(len(classes)), key=lambda k: -about["class_counts"][k])[:CLASSES]
    some = sorted(largest)
    what = f"probability of “{about['positive']}”" if two else "probability of the row’s own class"
    titles = {method: f"log loss {number_format.value(losses[method])}" for method in numbers}
    figure, grid = panels(
        outcome, titles, f"predicted {what}", "share of the class’s rows (square roots)", 0.2
    )
    top = 1.05 * max(map(np.max, numbers.values()))
    for axes, shares in zip(grid, numbers.values(), strict=True):
        _draw_histograms(axes, shares, some, top)
    key_of_classes(figure, classes, some)
    few = f" Of {len(classes)} classes the {CLASSES} most frequent are shown."
    rows = rows_held_out(outcome.evaluation, outcome.protocol(dataset))
    caption = (
        f"Histograms of the predicted {what}, over the {rows}, one outline for "
        "each class of rows; heights are on a scale of square roots, so that small shares are visible. "
        f"{_reading(two)}{few if len(classes) > CLASSES else ''} "
        f"{selection_note(outcome, list(numbers), len(losses), 'with probabilities')}"
        f"{grid_end_note(outcome, numbers)}"
    )
    shown_numbers = {
        "dataset": dataset,
        "classes": classes,
        "edges": EDGES.tolist(),
        "methods": numbers,
    }
    return Exhibit(figure, f"Predicted probabilities on {dataset}", caption, shown_numbers)


def _draw_histograms(axes: Axes, shares: list[list[float]], some: list[int], top: float) -> None:
    """The outline of each class in `some`; heights on a scale of square roots."""
    from matplotlib.colors import to_rgba

    for k in some:
        colour, _ = style.class_style(k)
        faint = to_rgba(colour, 0.18)
        axes.stairs(shares[k], EDGES, fill=True, facecolor=faint, edgecolor=colour, linewidth=1.1)
    axes.set_yscale("function", functions=(np.sqrt, np.square))
    axes.set(xlim=(-0.01, 1.01), ylim=(0, top))
    axes.set_yticks([tick for tick in TICKS if tick <= top])
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:g}")


def histograms(rows: HeldOut, positive: int | None) -> np.ndarray:
    """Histograms (classes, BINS): shares of the rows of each class by predicted probability of the positive class, or
    of their own class if there is none."""
    assert rows.log_proba is not None
    place = rows.y_true if positive is None else np.full(len(rows.y_true), positive)
    p = np.exp(rows.log_proba[np.arange(len(place)), place])
    cell = np.clip((p * BINS).astype(int), 0, BINS - 1)
    counts = np.bincount(rows.y_true * BINS + cell, minlength=rows.n_classes * BINS)
    counts = counts.reshape(rows.n_classes, BINS)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def _reading(two: bool) -> str:
    if two:
        return "The less the outlines overlap, the better the method distinguishes the classes."
    return "The more lies at 1, the better; what lies below 1/2 may be taken for another class."
