"""All methods on all data sets in one picture: how far each is behind the best, and where it has no score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linclass_study.report.exhibit import Exhibit
from linclass_study.report.figures import style

if TYPE_CHECKING:
    from linclass_study.results.outcome import Outcome

PLACE, SECTION, PER_DATASET = 4, "across", False
CELL = 0.2  # inches
LARGEST = 16.0  # inches; beyond, cells get smaller and only some names are written


def draw(outcome: Outcome) -> Exhibit:
    from matplotlib import colormaps

    from linclass_study.results.across import across

    base = across(outcome, shared=True)
    if not base.enough:
        return Exhibit.nothing("there are no two data sets and two methods with scores")
    behind = np.nanmax(base.table, axis=1, keepdims=True) - base.table
    order = np.argsort(
        np.nanmean(np.where(np.isnan(behind), np.nanmax(behind), behind), axis=0), kind="stable"
    )
    shown = behind[:, order].T  # methods × data sets
    k, n = shown.shape
    tall, wide = min(CELL * k, LARGEST), min(max(CELL, 0.32) * n, LARGEST)
    names = [style.wrapped(base.methods[j], 40, 1) for j in order]
    left = 0.2 + 0.062 * max(map(len, names))
    width, height = max(left + wide + 1.1, 4.0), tall + 1.2
    figure = style.canvas(width, height)
    axes = figure.add_axes((left / width, 0.15 / height, wide / width, tall / height))
    top = float(np.nanquantile(shown, 0.9)) or 1.0
    colours = colormaps["viridis_r"].with_extremes(bad="#c9ced6")
    image = axes.imshow(
        shown, cmap=colours, vmin=0, vmax=top, aspect="auto", interpolation="nearest"
    )
    every = max(1, int(np.ceil(k * 0.11 / tall)))
    axes.set_yticks(range(0, k, every), names[::every], fontsize=min(7.5, 72 * tall / k * 0.8))
    axes.set_xticks(range(n), base.datasets, rotation=60, ha="left", fontsize=7)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    bar = figure.add_axes(
        ((left + wide + 0.2) / width, 0.15 / height, 0.12 / width, min(tall, 1.8) / height)
    )
    figure.colorbar(image, cax=bar).ax.tick_params(labelsize=7)
    caption = (
        f"How far each method’s mean {base.metric.replace('_', ' ')} is behind the best on each data set "
        "(yellow: the best; beyond "
        f"{top:.3f} one colour; grey: no score, because some planned fit did not succeed). Methods are sorted "
        "by the mean, a missing "
        "score counting as the worst."
    )
    numbers = {
        "datasets": base.datasets,
        "behind": {
            base.methods[j]: [None if np.isnan(v) else float(v) for v in behind[:, j]]
            for j in order
        },
    }
    return Exhibit(figure, "All methods on all data sets", caption, numbers)
