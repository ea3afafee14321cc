"""Heat map of all methods on all data sets: distance to the best score; missing scores are grey."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linclass_study.report.drawing import style
from linclass_study.report.exhibit import Exhibit
from linclass_study.results.metric_words import metric_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from linclass_study.results.outcome import Outcome

PLACE, SECTION, PER_DATASET = 4, "across", False
WIDTH = 7.2  # inches of the figure
CELL, WIDEST = 0.2, 0.9  # inches of a cell's height, and of its width at most
LARGEST = 16.0  # inches; beyond, cells are smaller and only some names are written
NUMBERS = 400  # with more cells, no numbers are written
READABLE = 0.36  # minimal width in inches of a cell with a number


def draw(outcome: Outcome) -> Exhibit:
    from linclass_study.results.across_datasets import all_scores

    base = all_scores(outcome, shared=True)
    if min(base.table.shape) < 2:
        return Exhibit.nothing(
            "this figure compares methods over data sets: it needs at least two of each with scores"
        )
    behind = np.nanmax(base.table, axis=1, keepdims=True) - base.table
    order = np.argsort(
        np.nanmean(np.where(np.isnan(behind), np.nanmax(behind), behind), axis=0), kind="stable"
    )
    shown = behind[:, order].T  # methods × data sets
    top = float(np.nanquantile(shown, 0.9)) or 1.0
    words = metric_words(base.metric)
    names = [style.wrapped(base.methods[j], 40, 1) for j in order]
    figure = _heat_map(shown, top, names, base.datasets, f"{words}\nbehind the best")
    caption = (
        f"How far each method’s mean {words} is behind the best on each data set (yellow: the best; beyond "
        f"{top:.3f} one colour; grey: no score, because some planned fit did not succeed). Methods are sorted "
        "by the mean, a missing score counting as the worst."
    )
    numbers = {
        "datasets": base.datasets,
        "behind": {
            base.methods[j]: [None if np.isnan(v) else float(v) for v in behind[:, j]]
            for j in order
        },
    }
    return Exhibit(figure, "All methods on all data sets", caption, numbers)


def _heat_map(
    shown: np.ndarray, top: float, names: list[str], datasets: list[str], label: str
) -> Figure:
    """Methods × data sets, with a colour bar up to `top`."""
    from matplotlib import colormaps

    k, n = shown.shape
    left, right = 0.2 + 0.062 * max(map(len, names)), 1.0
    tall = min(CELL * k, LARGEST)
    wide = min(max(CELL * n, min(WIDEST * n, WIDTH - left - right)), LARGEST)
    width, height = max(left + wide + right, WIDTH), tall + 1.2
    figure = style.canvas(width, height)
    axes = figure.add_axes((left / width, 0.15 / height, wide / width, tall / height))
    colours = colormaps["viridis_r"].with_extremes(bad="#c9ced6")
    image = axes.imshow(
        shown, cmap=colours, vmin=0, vmax=top, aspect="auto", interpolation="nearest"
    )
    if shown.size <= NUMBERS and wide / n >= READABLE:
        _write_numbers(axes, shown, 0.45 * top)
    every = max(1, int(np.ceil(k * 0.11 / tall)))
    axes.set_yticks(range(0, k, every), names[::every], fontsize=min(7.5, 72 * tall / k * 0.8))
    axes.set_xticks(
        range(n), datasets, rotation=60, ha="left", rotation_mode="anchor", fontsize=7.5
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    bar = figure.add_axes(
        ((left + wide + 0.2) / width, 0.15 / height, 0.12 / width, min(tall, 1.8) / height)
    )
    key = figure.colorbar(image, cax=bar)
    key.ax.tick_params(labelsize=7)
    key.set_label(label, fontsize=7, y=0, ha="left")
    return figure


def _write_numbers(axes: Axes, values: np.ndarray, dark: float) -> None:
    """Write each value into its cell, in a light colour above `dark`."""
    for (row, column), value in np.ndenumerate(values):
        ink = "#fefefe" if value > dark else "#202020"
        text = "–" if np.isnan(value) else f"{value:.3f}".removeprefix("0")
        axes.text(column, row, text, ha="center", va="center", fontsize=7, color=ink)
