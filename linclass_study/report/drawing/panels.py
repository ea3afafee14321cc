"""Small panels, one per method, with marker and name above, and the selection of the methods that get one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linclass_study.analysis.controls import BASELINE
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.analysis.tuned import marked
from linclass_study.analysis.wording import best_words
from linclass_study.report.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


WIDTH, COLUMNS, HEIGHT = 7.2, 3, 1.75  # inches of the figure and of a panel; panels in a row
TICKS = (0, 0.25, 0.5, 0.75, 1)  # of shares and probabilities
TOLERANCE = 0.002  # of simplified curves, whose values are shares
NAMED = 0.26  # inches of the line with the name of the only method
GAP, LEFT, BELOW = 0.52, 0.6, 0.5  # inches above each row of panels, and beside and below all


def panels(
    outcome: Outcome, titles: dict[str, str], x: str, y: str, above: float = 0.0
) -> tuple[Figure, Sequence[Axes]]:
    """(figure, axes of each method); `titles` maps a method to the second line of its title. The caption explains the
    mark of names by grid_end_note().

    above   free space at the top in inches, for a legend
    """
    columns = 2 if len(titles) == 4 else min(COLUMNS, len(titles))
    width = LEFT + 0.1 + (WIDTH - LEFT - 0.1) * max(columns, 2) / COLUMNS
    figure, grid = empty_panels(len(titles), columns, width, HEIGHT, x, y, GAP, above)
    for axes, name, second in zip(grid, marked(outcome, titles), titles.values(), strict=True):
        _head(axes, name, second)
        axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
        axes.grid()
    return figure, grid


def empty_panels(
    n: int, columns: int, width: float, panel: float, x: str, y: str, gap: float, above: float
) -> tuple[Figure, list[Axes]]:
    """n panels of this height in rows, with labels of all x and y axes; sizes in inches.

    gap     height of the titles above each row
    above   free space at the top
    """
    rows = -(-n // columns)
    height = rows * (panel + gap) + BELOW + above
    figure = style.canvas(width, height)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    figure.subplots_adjust(
        left=LEFT / width,
        right=1 - 0.1 / width,
        bottom=BELOW / height,
        top=1 - (gap + above) / height,
        wspace=0.12,
        hspace=gap / panel,
    )
    pixels = np.tile([width, height], 2) * style.SETTINGS["savefig.dpi"]
    for axes in grid.flat:  # on whole pixels, so that equal images of panels are stored once
        axes.set_position(np.round(np.array(axes.get_position().bounds) * pixels) / pixels)
    for axes in grid.flat[n:]:
        axes.set_axis_off()
    for axes in grid.flat[max(n - columns, 0) : n]:
        axes.xaxis.set_tick_params(labelbottom=True)
    figure.supxlabel(x, fontsize=8.5, y=0.08 / height)
    figure.supylabel(y, fontsize=8.5, x=0.06 / width)
    return figure, list(grid.flat)[:n]


def thinned(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Simplify a polyline within TOLERANCE.   Douglas & Peucker (1973)"""
    keep, waiting = {0, len(x) - 1}, [(0, len(x) - 1)]
    while waiting:
        i, j = waiting.pop()
        line = y[i] + (y[j] - y[i]) * (x[i:j] - x[i]) / (x[j] - x[i])
        off = np.abs(y[i:j] - line)
        if j - i > 1 and off.max() > TOLERANCE:
            k = i + int(off.argmax())
            keep.add(k)
            waiting += [(i, k), (k, j)]
    some = sorted(keep)
    return x[some], y[some]


def band(axes: Axes, x: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str) -> None:
    """Fill the area between two simplified curves."""
    below, above = thinned(x, low), thinned(x, high)
    edge = [np.concatenate([one, other[::-1]]) for one, other in zip(below, above, strict=True)]
    axes.fill(*edge, color=colour, alpha=0.25, linewidth=0)


def _head(axes: Axes, method: str, second: str) -> None:
    """Two lines of title above the axes, at a fixed height."""
    lines = ((style.wrapped(method, 26, 1), 14.5), (second, 4))
    for text, up in lines if second else [(lines[0][0], 14.5)]:
        axes.annotate(
            text, (0, 1), (0, up), xycoords="axes fraction", textcoords="offset points", fontsize=8
        )


def name_above(figure: Figure, method: str) -> None:
    """The name of the only method of a figure, at its top left; takes NAMED inches."""
    place = 0.06 / figure.get_figwidth(), 1 - 0.06 / figure.get_figheight()
    figure.text(*place, style.wrapped(method, 60, 1), va="top", fontsize=8.5)


def key_of_classes(figure: Figure, classes: Sequence[str], some: Sequence[int]) -> None:
    """Legend of the classes, in a line at the top of the figure."""
    from matplotlib.patches import Patch

    handles = [Patch(color=style.class_style(k)[0], alpha=0.7, linewidth=0) for k in some]
    style.legend(
        figure,
        handles,
        [style.wrapped(str(classes[k]), 60 // len(some), 1) for k in some],
        left=LEFT - 0.07,
        ncols=len(some),
        fontsize=8,
        handlelength=0.9,
        handleheight=0.9,
        handletextpad=0.4,
        columnspacing=1.4,
    )


def baselines(outcome: Outcome, methods: Sequence[str]) -> set[int]:
    """Numbers of the methods that always predict the majority class."""
    kinds = [outcome.methods[method].get("classifier") for method in methods]
    return {j for j, kind in enumerate(kinds) if kind == BASELINE}


def selected_methods(
    outcome: Outcome, dataset: str, able: Iterable[str], most: int = 6
) -> list[str]:
    """At most `most` of the methods that the figure can show, best first.

    The best method of each classifier class and the baseline come first, then the best of the others.
    """
    able = set(able)
    ranked = [method for method in ranking(outcome, dataset)["method"] if method in able]
    kinds = {method: outcome.methods[method].get("classifier") for method in ranked}
    first = {kind: method for method, kind in reversed(kinds.items())}  # the best of each kind
    order = sorted(ranked, key=lambda m: (first[kinds[m]] != m, kinds[m] != BASELINE))
    best = ranked[:1]
    chosen = {*best, *[method for method in order if method not in best][: most - len(best)]}
    return [method for method in ranked if method in chosen]


def selection_note(outcome: Outcome, methods: list[str], able: int, what: str = "") -> str:
    """A sentence about the selection, for the caption; `what` is the requirement ("with probabilities")."""
    those = f"methods {what}" if what and able < len(outcome.methods) else "methods"
    if len(methods) == able:
        return f"All {able} {those} are shown." if able > 1 else ""
    return (
        f"{len(methods)} of {able} {those} are shown, {best_words(outcome.metric)} first: the best "
        "of each kind of classifier as far as there is room, and the baseline."
    )
