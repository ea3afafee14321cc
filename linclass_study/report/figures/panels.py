"""Small panels, one for each method that is shown, with its mark and name above."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from linclass_study.report.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from linclass_study.results.outcome import Outcome

WIDTH, COLUMNS, HEIGHT = 7.2, 3, 1.75  # inches of the figure and of a panel; panels in a row
GAP, LEFT, BELOW = 0.52, 0.52, 0.5  # inches above each row of panels, and beside and below all


def panels(
    outcome: Outcome, titles: dict[str, str], x: str, y: str, above: float = 0.0
) -> tuple[Figure, Sequence[Axes]]:
    """The figure, and axes for each method of titles, method → second line of its title.

    above   inches that are left free at the top, for a key
    """
    columns = min(COLUMNS, len(titles))
    rows = -(-len(titles) // columns)
    width = LEFT + 0.1 + (WIDTH - LEFT - 0.1) * max(columns, 2) / COLUMNS
    height = rows * (HEIGHT + GAP) + BELOW + above
    figure = style.canvas(width, height)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    figure.subplots_adjust(
        left=LEFT / width,
        right=1 - 0.1 / width,
        bottom=BELOW / height,
        top=1 - (GAP + above) / height,
        wspace=0.12,
        hspace=GAP / HEIGHT,
    )
    for axes, (method, second) in zip(grid.flat, titles.items(), strict=False):
        colour, marker = style.of_method(outcome.position(method))
        title = f"{style.wrapped(method, 26, 1)}\n{second}"
        axes.set_title(title, loc="left", pad=3, x=0.09, fontsize=8, linespacing=1.2)
        axes.plot(
            0.03,
            1.155,
            marker,
            color=colour,
            markersize=5,
            transform=axes.transAxes,
            clip_on=False,
        )
        axes.grid()
    for axes in grid.flat[len(titles) :]:
        axes.set_axis_off()
    for axes in grid.flat[max(len(titles) - columns, 0) : len(titles)]:
        axes.xaxis.set_tick_params(labelbottom=True)
    figure.supxlabel(x, fontsize=8.5, y=0.08 / height)
    figure.supylabel(y, fontsize=8.5, x=0.06 / width)
    return figure, list(grid.flat)[: len(titles)]
