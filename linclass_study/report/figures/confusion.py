"""Confusion matrix of the best method on a data set, with recall and precision of each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import HeldOut, held_out, ranking
from linclass_study.analysis.wording import units
from linclass_study.report.drawing import style
from linclass_study.report.drawing.panels import NAMED, TICKS, name_above
from linclass_study.report.drawing.style import INK
from linclass_study.report.figure_files import ReportFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def confusion_counts(rows: HeldOut) -> np.ndarray:
    """counts[i, j] is the number of rows of class i predicted as j; further columns are other actions (`costs:`)."""
    width = max(rows.n_classes, int(rows.y_pred.max(initial=0)) + 1)
    cells = np.bincount(rows.y_true * width + rows.y_pred, minlength=rows.n_classes * width)
    return cells.reshape(rows.n_classes, width)


def per_class(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Recall and precision of each class; NaN without rows of the class, or without predictions of it."""
    right = counts.diagonal()[: len(counts)].astype(float)
    with np.errstate(invalid="ignore"):
        return right / counts.sum(axis=1), right / counts.sum(axis=0)[: len(counts)]


WIDTH, CELL, LARGEST = 7.2, 0.36, 4.0  # inches of the figure, of a cell, and of the whole matrix
SMALLEST = 5  # points of a number in a cell


def confusion(outcome: Outcome, dataset: str) -> ReportFigure:
    """Confusion matrix of the best method on a data set, with recall and precision of each class."""
    methods = ranking(outcome, dataset).filter("whole")["method"].to_list()
    held = held_out(outcome, dataset, methods[0]) if methods else None
    if held is None:
        return ReportFigure.nothing(
            f"no method succeeded on every fold of {dataset}, or predictions are too many"
        )
    method, counts = methods[0], confusion_counts(held)
    classes = outcome.about(dataset)["classes"]
    K, wide = counts.shape
    columns = [*classes, *(f"action {k}" for k in range(K, wide))]
    cell = min(max(CELL, 1.4 / K), LARGEST / wide)
    names = [style.wrapped(str(name), 18, 1) for name in columns]
    longest = 0.068 * max(map(len, names))  # inches
    turned = longest > cell
    left, above = 0.4 + longest, 0.5 + (0.9 * longest if turned else 0.1)
    height = above + cell * K + 0.45 + NAMED
    figure = style.canvas(WIDTH, height)
    bottom, tall = 0.45 / height, cell * K / height
    axes = figure.add_axes((left / WIDTH, bottom, cell * wide / WIDTH, tall))
    _matrix(axes, counts, names, cell, turned)
    start = (left + cell * wide + 0.4) / WIDTH
    beside = figure.add_axes((start, bottom, 0.97 - start, tall))
    recall, precision = per_class(counts)
    name_above(figure, method)
    _rates(beside, recall, precision, cell)
    over = units(outcome.evaluation, outcome.protocol(dataset))
    caption = (
        f"Of {method}, the best method: rows are the true classes, columns "
        f"what the {int(counts.sum()):,} held-out rows of all {over} were predicted as; colours are shares of "
        "the true class. Beside it recall (the diagonal over its row) and precision (over its column)."
    )
    numbers = {"dataset": dataset, "method": method, "classes": classes, "columns": columns}
    numbers |= {"counts": counts, "recall": recall, "precision": precision}
    return ReportFigure(figure, f"Confusion on {dataset}", caption, numbers)


def _matrix(axes: Axes, counts: np.ndarray, names: list[str], cell: float, turned: bool) -> None:
    """Draw the cells, with counts and names as far as they are readable."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(style.tinted(style.COLOURS[0], shares), aspect="auto", interpolation="none")
    size = min(8.0, 72 * cell / (0.72 * len(str(counts.max())) + 0.6))
    if size >= SMALLEST:
        for (i, j), n in np.ndenumerate(counts):
            axes.text(j, i, f"{n}", ha="center", va="center", fontsize=size)
    every = max(1, int(np.ceil(0.11 / cell)))
    letters = min(8.0, 72 * cell * every * 0.8)
    K, wide = counts.shape
    axes.set_yticks(range(0, K, every), names[:K:every], fontsize=letters)
    axes.xaxis.tick_top()
    oblique = {"rotation": 60, "ha": "left", "rotation_mode": "anchor"} if turned else {}
    axes.set_xticks(range(0, wide, every), names[::every], fontsize=letters, **oblique)  # type: ignore[arg-type]
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0)
    axes.set(xlabel="predicted class", ylabel="true class")
    for spine in axes.spines.values():
        spine.set_visible(False)


def _rates(axes: Axes, recall: np.ndarray, precision: np.ndarray, cell: float) -> None:
    rows, size = np.arange(len(recall)), min(6.0, 40 * cell)
    options: Any = {"color": INK, "markersize": size}
    axes.plot(recall, rows - 0.13, "o", label="recall", **options)
    options["markerfacecolor"] = "none"
    axes.plot(precision, rows + 0.13, "o", label="precision", **options)
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlim=(-0.03, 1.05), yticks=[])
    axes.set_xlabel("recall, precision", fontsize=8)
    axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    place: Any = {"loc": "lower right", "bbox_to_anchor": (1.02, 1.0), "ncols": 2}
    axes.legend(frameon=False, fontsize=8, handlelength=1, **place)
