"""The legend of the classes above panels: as many columns as the names leave room for, read row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from linclass_study.report.drawing import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE, LINE = 8, 0.2  # points of the letters; inches from row to row
MARK, GAP = 0.15, 0.2  # inches of a marker before its name, and between two columns
LONGEST = 28  # characters of a name


def key_height(classes: Sequence[str], room: float) -> float:
    """Inches of the legend of these classes in a room of that many inches."""
    return LINE * -(-len(classes) // columns_that_fit(_widths(classes), room))


def class_key(figure: Figure, classes: Sequence[str], left: float, room: float) -> None:
    """Draw it at the top of the figure, from `left` on; both in inches."""
    from matplotlib.lines import Line2D

    columns = columns_that_fit(_widths(classes), room)
    entries = []
    for code, name in enumerate(classes):
        colour, marker = style.class_style(code)
        mark = Line2D([], [], linestyle="", marker=marker, color=colour, markersize=5)
        entries.append((mark, _shown(name)))
    by_column = [entry for j in range(columns) for entry in entries[j::columns]]
    figure.legend(
        *zip(*by_column, strict=True),
        loc="upper left",
        bbox_to_anchor=(left / figure.get_figwidth(), 1.0),
        ncols=columns,
        frameon=False,
        fontsize=SIZE,
        handlelength=0.9,
        handletextpad=0.3,
        columnspacing=72 * GAP / SIZE,
        borderpad=0.2,
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

    shown = (TextPath((0, 0), _shown(name), size=SIZE) for name in classes)
    return [MARK + (path.get_extents().width if len(path.vertices) else 0) / 72 for path in shown]


def _shown(name: str) -> str:
    return style.wrapped(str(name), LONGEST, 1)
