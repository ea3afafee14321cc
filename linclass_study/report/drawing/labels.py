"""Labels of figures: the legend of classes, names at the ends of lines, and rows that are omitted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from linclass.plotting import tints
from linclass_study.report.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LEGEND_LINE = 0.18  # inches from row to row
MARK, GAP = 0.15, 0.2  # inches of a marker before its name, and between two columns
LONGEST = 2.0  # inches of a name


def key_height(names: Sequence[str], room: float, mark: float = MARK) -> float:
    """Inches of a legend with these names in a room of that many inches."""
    return LEGEND_LINE * -(-len(names) // columns_that_fit(_widths(names, room, mark), room))


def key(
    figure: Figure,
    handles: Sequence[Any],
    names: Sequence[str],
    left: float,
    room: float,
    mark: float = MARK,
    below: bool = False,
    **options: Any,
) -> None:
    """Draw a legend that is read row by row, from `left` on; all in inches.

    mark    width of a handle
    below   at the bottom of the figure instead of the top
    """
    columns = columns_that_fit(_widths(names, room, mark), room)
    entries = list(zip(handles, _shown(names, room, mark), strict=True))
    by_column = [entry for j in range(columns) for entry in entries[j::columns]]
    usual: Any = {
        "loc": "lower left" if below else "upper left",
        "bbox_to_anchor": (left / figure.get_figwidth(), 0.0 if below else 1.0),
        "ncols": columns,
        "fontsize": style.SMALL,
        "frameon": False,
        "borderpad": 0.2,
        "borderaxespad": 0.1,
        "handlelength": 72 * mark / style.SMALL - 0.5,
        "handletextpad": 0.5,
        "labelspacing": 72 * LEGEND_LINE / style.SMALL - 1.0,
        "columnspacing": 72 * GAP / style.SMALL,
    }
    figure.legend(*zip(*by_column, strict=True), **usual | options)


def class_key(figure: Figure, classes: Sequence[str], left: float, room: float) -> None:
    """The legend of classes: their markers on the tints of their regions."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = []
    for code, tint in enumerate(tints(len(classes))):
        colour, marker = style.method_style(code)
        mark = Line2D([], [], linestyle="", marker=marker, color=colour, markersize=4.5)
        handles.append((Patch(facecolor=tuple(tint), linewidth=0), mark))
    key(figure, handles, classes, left, room, handleheight=1.0)


def columns_that_fit(widths: Sequence[float], room: float) -> int:
    """Most columns in which entries of these widths, placed row by row, are no wider than the room; at least 1."""
    for columns in range(len(widths), 1, -1):
        if sum(max(widths[j::columns]) for j in range(columns)) + GAP * (columns - 1) <= room:
            return columns
    return 1


def _widths(names: Sequence[str], room: float, mark: float) -> list[float]:
    shown = _shown(names, room, mark)
    return [mark + 0.04 + style.text_width(name, style.SMALL) for name in shown]


def _shown(names: Sequence[str], room: float, mark: float) -> list[str]:
    return [style.fitted(str(n), min(LONGEST, room - mark - 0.04), style.SMALL) for n in names]


LABEL_GAP, OUT = 10.5, 0.1  # points between labels; inches from the axes to a label


def end_labels(axes: Axes, ends: Sequence[tuple[float, str, str]], right: bool = True) -> None:
    """Label the lines that end at `ends` (y value, name, colour), beside the axes, whose limits must be set."""
    if not ends:
        return
    box = axes.get_position()
    size = axes.figure.get_figure(root=True).get_size_inches()
    height = box.height * size[1] * 72  # points
    step = OUT / (box.width * size[0])
    to_share = axes.transData + axes.transAxes.inverted()
    share = np.array([to_share.transform((axes.get_xlim()[0], y))[1] for y, _, _ in ends])
    places = spread(share * height, LABEL_GAP, height) / height
    edge, out = (1.0, 1 + step) if right else (0.0, -step)
    for (_, name, colour), own, place in zip(ends, share, places, strict=True):
        line: Any = {"color": colour, "linewidth": 0.6, "clip_on": False}
        axes.plot([edge, out], [own, place], transform=axes.transAxes, **line)
        beside, side = (out + 0.2 * step, "left") if right else (out - 0.2 * step, "right")
        text: Any = {"color": style.INK, "fontsize": style.SMALL, "va": "center", "ha": side}
        axes.text(beside, place, name, transform=axes.transAxes, **text)


def spread(places: np.ndarray, gap: float, room: float) -> np.ndarray:
    """Nearest positions, in the same order, that are at least `gap` apart (isotonic regression), moved into [0, room]
    as far as they fit:  x_i = max_{a ≤ i} min_{b ≥ i} mean(a … b).  SciPy's function is slow to import."""
    order, n = np.argsort(places, kind="stable"), len(places)
    steps = gap * np.arange(n)
    sums = np.cumsum([0.0, *(places[order] - steps)])
    a, b = np.indices((n, n))
    means = np.where(a <= b, (sums[b + 1] - sums[a]) / np.maximum(b - a + 1, 1), np.inf)
    least = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
    apart = np.array([least[: i + 1, i].max() for i in range(n)])
    apart = np.clip(apart, 0, max(room - steps[-1], 0)) + steps
    found = np.empty(len(places))
    found[order] = apart
    return found


def outermost(order: Sequence[int], most: int, *kept: Collection[int]) -> list[int]:
    """At most `most` entries in their order: those `kept`, earlier collections first, then those nearest to an end."""

    def urgency(place: int) -> tuple[int, int]:
        tiers = (tier for tier, those in enumerate(kept) if order[place] in those)
        return next(tiers, len(kept)), min(place, len(order) - 1 - place)

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
