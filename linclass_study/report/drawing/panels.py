"""Small panels, one per method, with marker and name above, and the selection of the methods that get one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linclass_study.analysis.comparison_with_control import BASELINE
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.analysis.tuned_values import marked_labels
from linclass_study.analysis.wording import best_words
from linclass_study.report.drawing import style
from linclass_study.report.drawing.labels import key_height

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLUMNS, NARROWEST = 3, 1.2  # panels in a row, and inches of a panel
HEIGHT, SHARE = 1.75, 0.82  # inches of a panel at most, and as a share of its width
ROWS, MAX_PANELS = 3, 6  # rows of panels, and panels in all
TICKS = (0, 0.25, 0.5, 0.75, 1)  # of shares and probabilities
NAMED = 0.26  # inches of the line with the name of the only method
SPACE, LINE = 0.18, 0.145  # inches between two rows of panels, and of a line of a title
LEFT, BELOW = 0.6, 0.5  # inches beside and below all panels


def columns_at(width: float, most: int = COLUMNS) -> int:
    """Panels in a row of a figure."""
    return max(1, min(most, int((width - LEFT - 0.1) / NARROWEST)))


def most_panels(most: int, columns: int = COLUMNS) -> int:
    """At most `most` panels, if they fit into ROWS rows."""
    return min(most, ROWS * columns_at(style.width(), columns))


def panels(
    outcome: Outcome, titles: dict[str, str], x: str, y: str, classes: Sequence[str] = ()
) -> tuple[Figure, Sequence[Axes]]:
    """(figure, axes of each method); `titles` maps a method to the second line of its title. The caption explains the
    mark of names by grid_end_note().

    classes   there is space for their legend at the top
    """
    most = columns_at(style.width())
    columns = 2 if most == 3 and len(titles) == 4 else min(most, len(titles))
    room = (style.width() - LEFT - 0.1) / most
    width = LEFT + 0.1 + room * min(max(columns, 2), most)
    heads = [
        f"{style.fitted(name, room - 0.1, 8)}\n{style.broken(second, room - 0.1, 8)}"
        for name, second in zip(marked_labels(outcome, titles), titles.values(), strict=True)
    ]
    above = key_height(classes, width - LEFT - 0.1) if classes else 0.0
    panel = max(min(HEIGHT, SHARE * room), 1.1)
    figure, grid = empty_panels(heads, columns, width, panel, x, y, above)
    for axes in grid:
        axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
        if room < 1.6:
            axes.set_xticks(TICKS[::2], [f"{tick:g}" for tick in TICKS[::2]])
        axes.grid()
    return figure, grid


def empty_panels(
    heads: Sequence[str], columns: int, width: float, panel: float, x: str, y: str, above: float
) -> tuple[Figure, list[Axes]]:
    """Panels of this height in rows, with these titles, and labels of all x and y axes; sizes in inches.

    above   free space at the top
    """
    n, rows = len(heads), -(-len(heads) // columns)
    gap = SPACE + LINE * max(head.count("\n") + 1 for head in heads)
    x = style.broken(x, width - 0.2)
    below = BELOW + LINE * x.count("\n")
    height = rows * (panel + gap) + below + above
    y = style.broken(y, height - 0.2)
    left = LEFT + LINE * y.count("\n")
    figure = style.canvas(width, height)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    figure.subplots_adjust(
        left=left / width,
        right=1 - 0.1 / width,
        bottom=below / height,
        top=1 - (gap + above) / height,
        wspace=0.12,
        hspace=gap / panel,
    )
    pixels = np.tile([width, height], 2) * style.SETTINGS["savefig.dpi"]
    for axes in grid.flat:  # on whole pixels, so that equal images of panels are stored once
        axes.set_position(np.round(np.array(axes.get_position().bounds) * pixels) / pixels)
    for axes, head in zip(grid.flat, heads, strict=False):
        axes.set_title(head, loc="left", pad=3.5, fontsize=8, linespacing=1.15)
    for axes in grid.flat[n:]:
        axes.set_axis_off()
    for axes in grid.flat[max(n - columns, 0) : n]:
        axes.xaxis.set_tick_params(labelbottom=True)
    figure.supxlabel(x, fontsize=style.TEXT, y=0.08 / height)
    figure.supylabel(y, fontsize=style.TEXT, x=0.06 / width)
    return figure, list(grid.flat)[:n]


def name_above(figure: Figure, method: str) -> None:
    """The name of the only method of a figure, at its top left; takes NAMED inches."""
    width, height = figure.get_size_inches()
    name = style.fitted(method, width - 0.12, style.TEXT)
    figure.text(0.06 / width, 1 - 0.06 / height, name, va="top", fontsize=style.TEXT)


def selected_methods(outcome: Outcome, dataset: str, able: Iterable[str], most: int) -> list[str]:
    """At most `most` of the methods that the figure can show, best first.

    The best method of each classifier class and the baseline come first, then the best of the others.
    """
    able = set(able)
    ranked = [method for method in ranking(outcome, dataset)["method"] if method in able]
    kinds = {method: outcome.methods[method].get("classifier") for method in ranked}
    first = {kind: method for method, kind in reversed(kinds.items())}  # the best of each kind
    urgency = {m: (m != ranked[0], first[kinds[m]] != m, kinds[m] != BASELINE) for m in ranked}
    chosen = sorted(ranked, key=urgency.__getitem__)[:most]
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
