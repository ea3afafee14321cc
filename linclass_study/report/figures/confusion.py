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


CELL, LARGEST = 0.36, 4.0  # inches of a cell, and of the whole matrix
BESIDE, RATES = 1.25, 2.4  # inches at least and at most of recall and precision beside it


def confusion(outcome: Outcome, dataset: str) -> ReportFigure:
    methods = ranking(outcome, dataset).filter("whole")["method"].to_list()
    held = held_out(outcome, dataset, methods[0]) if methods else None
    if held is None:
        why = f"no method succeeded on every fold of {dataset}, or predictions are too many"
        return ReportFigure.nothing(why)
    method, counts = methods[0], confusion_counts(held)
    classes = outcome.about(dataset)["classes"]
    K, wide = counts.shape
    columns = [*classes, *(f"action {k}" for k in range(K, wide))]
    width = style.width()
    names = [style.fitted(str(name), min(1.3, 0.2 * width), 8) for name in columns]
    longest = style.widest(names, 8)
    left = 0.42 + longest
    cell = min(max(CELL, 1.4 / K), min(LARGEST, width - left - BESIDE) / wide)
    turned = longest > cell - 0.04
    above = 0.5 + (0.9 * longest if turned else 0.1)
    height = above + cell * K + 0.45 + NAMED
    gap = 0.3 + 0.5 * longest * turned  # beside the last name
    start = left + cell * wide + min(gap, 0.4 if width > 5 else 0.3)
    width = min(width, start + RATES + 0.2)
    figure = style.canvas(width, height)
    bottom, tall = 0.45 / height, cell * K / height
    axes = figure.add_axes((left / width, bottom, cell * wide / width, tall))
    _matrix(axes, counts, names, cell, turned)
    beside = figure.add_axes((start / width, bottom, (width - 0.2 - start) / width, tall))
    recall, precision = per_class(counts)
    name_above(figure, outcome.labels.methods[method])
    _rates(beside, recall, precision, cell, width - 0.2 - start > 1.6)
    over = units(outcome.evaluation, outcome.protocol(dataset))
    caption = (
        f"Of {outcome.labels.methods[method]}, the best method: rows are the true classes, columns "
        f"what the {int(counts.sum()):,} held-out rows of all {over} were predicted as; colours are shares of "
        "the true class. Beside it recall (the diagonal over its row) and precision (over its column)."
    )
    numbers = {"dataset": dataset, "method": method, "classes": classes, "columns": columns}
    numbers |= {"counts": counts, "recall": recall, "precision": precision}
    title = f"Confusion on {outcome.labels.datasets[dataset]}"
    return ReportFigure(figure, title, caption, numbers)


def _matrix(axes: Axes, counts: np.ndarray, names: list[str], cell: float, turned: bool) -> None:
    """Draw the cells, with counts and names as far as they are readable."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(style.tinted(style.COLOURS[0], shares), aspect="auto", interpolation="none")
    size = min(8.0, 8 * (cell - 0.04) / style.text_width(str(counts.max()), 8))
    if size >= style.TINY:
        for (i, j), n in np.ndenumerate(counts):
            axes.text(j, i, f"{n}", ha="center", va="center", fontsize=size)
    every = max(1, int(np.ceil(0.13 / cell)))
    letters = 8 if cell > 0.14 else style.TINY
    K, wide = counts.shape
    axes.set_yticks(range(0, K, every), names[:K:every], fontsize=letters)
    axes.xaxis.tick_top()
    oblique = {"rotation": 60, "ha": "left", "rotation_mode": "anchor"} if turned else {}
    axes.set_xticks(range(0, wide, every), names[::every], fontsize=letters, **oblique)  # type: ignore[arg-type]
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0)
    axes.set(xlabel="predicted class", ylabel="true class")
    axes.spines[:].set_visible(False)


def _rates(axes: Axes, recall: np.ndarray, precision: np.ndarray, cell: float, wide: bool) -> None:
    rows, size = np.arange(len(recall)), min(6.0, 40 * cell)
    options: Any = {"color": INK, "markersize": size, "clip_on": False}
    axes.plot(recall, rows - 0.13, "o", label="recall", **options)
    options["markerfacecolor"] = "none"
    axes.plot(precision, rows + 0.13, "o", label="precision", **options)
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlim=(-0.03, 1.05), yticks=[])
    ticks = TICKS if wide else TICKS[::2]
    axes.set_xlabel("recall, precision", fontsize=8)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    place: Any = {"loc": "lower right", "bbox_to_anchor": (1.02, 1.0), "ncols": 1 + wide}
    spaces: Any = {"columnspacing": 1, "handletextpad": 0.3}
    axes.legend(frameon=False, fontsize=style.SMALL, handlelength=1, **spaces, **place)
