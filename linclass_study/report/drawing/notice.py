"""A figure that shows a text: the reason why there is nothing to draw.

Snakemake requires every declared output, and shows this one in its own report.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from linclass_study.report.drawing import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 72  # characters of a line
LINE, SIZE = 0.2, 9  # inches from line to line; points of the letters
WIDTH, MARGIN = 7.2, 0.25  # inches


def notice(reason: str) -> Figure:
    printable = "".join(c if c.isprintable() else " " for c in reason)
    lines = textwrap.wrap(f"Nothing to draw: {printable}", COLUMNS, max_lines=12, placeholder=" …")
    figure = style.canvas(WIDTH, height := 2 * MARGIN + LINE * len(lines))
    for i, line in enumerate(lines):
        place = MARGIN / WIDTH, 1 - (MARGIN + LINE * (i + 0.75)) / height
        figure.text(*place, line, fontsize=SIZE, color=style.MUTED)
    return figure
