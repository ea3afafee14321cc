"""Labels of figures: the legend of classes, names at the ends of lines, and rows that are omitted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from linclass_study.report.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LEGEND_SIZE, LEGEND_LINE = 8, 0.2  # points of the letters; inches from row to row
MARK, GAP = 0.15, 0.2  # inches of a marker before its name, and between two columns
LONGEST = 28  # characters of a name


def key_height(classes: Sequence[str], room: float) -> float:
    """Inches of the legend of these classes in a room of that many inches."""
    return LEGEND_LINE * -(-len(classes) // columns_that_fit(_widths(classes), room))


def class_key(figure: Figure, classes: Sequence[str], left: float, room: float) -> None:
    """Draw it at the top of the figure, from `left` on; both in inches."""
    from matplotlib.lines import Line2D

    columns = columns_that_fit(_widths(classes), room)
    entries = []
    for code, name in enumerate(classes):
        colour, marker = style.class_style(code)
        mark = Line2D([], [], linestyle="", marker=marker, color=colour, markersize=5)
        entries.append((mark, _class_name(name)))
    by_column = [entry for j in range(columns) for entry in entries[j::columns]]
    style.legend(
        figure,
        *zip(*by_column, strict=True),
        left=left,
        ncols=columns,
        fontsize=LEGEND_SIZE,
        handlelength=0.9,
        handletextpad=0.3,
        columnspacing=72 * GAP / LEGEND_SIZE,
        borderaxespad=0.1,
    )


def columns_that_fit(widths: Sequence[float], room: float) -> int:
    """Most columns in which entries of these widths, placed row by row, are no wider than the room; at least 1."""
    for columns in range(len(widths), 1, -1):
        if sum(max(widths[j::columns]) for j in range(columns)) + GAP * (columns - 1) <= room:
            return columns
    return 1


def _widths(classes: Sequence[str]) -> list[float]:
    from matplotlib.textpath import TextPath

    shown = (TextPath((0, 0), _class_name(name), size=LEGEND_SIZE) for name in classes)
    return [MARK + (path.get_extents().width if len(path.vertices) else 0) / 72 for path in shown]


def _class_name(name: str) -> str:
    return style.wrapped(str(name), LONGEST, 1)


LABEL_GAP = 10.5  # points between labels
LABEL_SIZE = 7.5  # points of their letters


def end_labels(axes: Axes, ends: Sequence[tuple[float, str, str]], right: bool = True) -> None:
    """Label the lines that end at `ends` (y value, name, colour), beside the axes, whose limits must be set."""
    if not ends:
        return
    box = axes.get_position()
    height = box.height * axes.figure.get_figure(root=True).get_size_inches()[1] * 72  # points
    to_share = axes.transData + axes.transAxes.inverted()
    share = np.array([to_share.transform((axes.get_xlim()[0], y))[1] for y, _, _ in ends])
    places = spread(share * height, LABEL_GAP, height) / height
    edge, out = (1.0, 1.04) if right else (0.0, -0.04)
    for (_, name, colour), own, place in zip(ends, share, places, strict=True):
        line: Any = {"color": colour, "linewidth": 0.6, "clip_on": False}
        axes.plot([edge, out], [own, place], transform=axes.transAxes, **line)
        beside, side = (out + 0.01, "left") if right else (out - 0.01, "right")
        text: Any = {"color": style.INK, "fontsize": LABEL_SIZE, "va": "center", "ha": side}
        axes.text(beside, place, name, transform=axes.transAxes, **text)


def spread(places: np.ndarray, gap: float, room: float) -> np.ndarray:
    """Nearest positions, in the same order, that are at least `gap` apart (isotonic regression), moved into [0, room]
    as far as they fit."""
    from scipy.optimize import isotonic_regression

    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    apart = isotonic_regression(places[order] - steps).x
    apart = np.clip(apart, 0, max(room - steps[-1], 0)) + steps
    found = np.empty(len(places))
    found[order] = apart
    return found


def outermost(order: Sequence[int], most: int, *kept: Collection[int]) -> list[int]:
    """At most `most` entries in their order: those `kept`, earlier collections first, then those nearest to an end."""
    last = len(order) - 1

    def urgency(place: int) -> tuple[int, int]:
        tiers = (tier for tier, those in enumerate(kept) if order[place] in those)
        return next(tiers, len(kept)), min(place, last - place)

    return [order[place] for place in sorted(sorted(range(len(order)), key=urgency)[:most])]


def mark_left_out(axes: Axes, order: Sequence[int], shown: Sequence[int]) -> None:
    """A dotted line between neighbouring rows that are not neighbours in the whole order."""
    places = [order.index(j) for j in shown]
    for row, (above, below) in enumerate(pairwise(places)):
        if below - above > 1:
            axes.axhline(row + 0.5, color=style.MUTED, linewidth=0.8, linestyle=":")


def left_out_note(shown: int, total: int) -> str:
    """A sentence for the caption; empty if all are shown."""
    if shown == total:
        return ""
    return f" {shown} of {total} methods are shown; the others belong where a dotted line is."
