"""What stands where there is nothing to draw: the reason, as a picture of its words.

Snakemake wants every file that it was promised, and whoever opens one should see why it is empty.
"""

from __future__ import annotations

import io
import textwrap
from xml.sax.saxutils import escape

from linclass_study.report.figures import style

COLUMNS = 72  # characters of a line
LINE, SIZE = 0.2, 9  # inches from line to line; points of the letters
WIDTH, MARGIN = 7.2, 0.25  # inches


def rendered(reason: str) -> tuple[str, bytes]:
    """The reason as SVG, which needs no matplotlib, and as PNG."""
    printable = "".join(c if c.isprintable() else " " for c in reason)
    lines = textwrap.wrap(f"Nothing to draw: {printable}", COLUMNS, max_lines=12, placeholder=" …")
    return _svg(lines), _png(lines)


def _svg(lines: list[str]) -> str:
    points = 72
    width, height = WIDTH * points, _height(lines) * points
    texts = "".join(
        f'<text x="{MARGIN * points:g}" y="{_baseline(i) * points:g}">{escape(line)}</text>\n'
        for i, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}pt" height="{height:g}pt" '
        f'viewBox="0 0 {width:g} {height:g}">\n'
        f'<g font-family="sans-serif" font-size="{SIZE}" fill="{style.MUTED}">\n{texts}</g>\n</svg>\n'
    )


def _png(lines: list[str]) -> bytes:
    height, png = _height(lines), io.BytesIO()
    with style.settings():
        figure = style.canvas(WIDTH, height)
        for i, line in enumerate(lines):
            place = MARGIN / WIDTH, 1 - _baseline(i) / height
            figure.text(*place, line, fontsize=SIZE, color=style.MUTED)
        figure.savefig(png, format="png", metadata={"Software": None})
    return png.getvalue()


def _height(lines: list[str]) -> float:
    return 2 * MARGIN + LINE * len(lines)


def _baseline(i: int) -> float:
    """Of line i, in inches from the top."""
    return MARGIN + LINE * (i + 0.75)
