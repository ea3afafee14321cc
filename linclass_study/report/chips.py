"""Chips: the colour and marker of a method, in the size of a letter before its name.

They are drawn by the page's CSS: each of tens of thousands of names has a class instead of a drawing.
"""

from __future__ import annotations

from collections.abc import Iterable

from linclass_study.report.drawing import style
from linclass_study.report.drawing.style import method_style
from linclass_study.report.inline_svg import THEME

#: Marker of matplotlib → its outline in a square, in the same proportions.
SHAPES = {
    "o": "circle(42%)",
    "s": "inset(13%)",
    "^": "polygon(50% 8%, 92% 87%, 8% 87%)",
    "D": "polygon(50% 3%, 97% 50%, 50% 97%, 3% 50%)",
    "v": "polygon(50% 92%, 92% 13%, 8% 13%)",
    "P": "polygon(35% 8%, 65% 8%, 65% 35%, 92% 35%, 92% 65%, 65% 65%, 65% 92%, 35% 92%, 35% 65%, 8% 65%, 8% 35%, "
    "35% 35%)",
    "<": "polygon(8% 50%, 87% 8%, 87% 92%)",
    ">": "polygon(92% 50%, 13% 8%, 13% 92%)",
    "*": "polygon(50% 2%, 61% 35%, 97% 36%, 68% 57%, 79% 91%, 50% 71%, 21% 91%, 32% 57%, 3% 36%, 39% 35%)",
    "h": "polygon(50% 3%, 91% 26%, 91% 74%, 50% 97%, 9% 74%, 9% 26%)",
    "p": "polygon(50% 4%, 95% 38%, 78% 92%, 22% 92%, 5% 38%)",
    "d": "polygon(50% 3%, 78% 50%, 50% 97%, 22% 50%)",
    "X": "polygon(27% 8%, 50% 31%, 73% 8%, 92% 27%, 69% 50%, 92% 73%, 73% 92%, 50% 69%, 27% 92%, 8% 73%, 31% 50%, "
    "8% 27%)",
}


def chip(position: int) -> str:
    """CSS class of the method with this style (Outcome.position)."""
    colour, marker = method_style(position)
    return f"chip k{style.COLOURS.index(colour)}{style.MARKERS.index(marker)}"


def rules(positions: Iterable[int]) -> str:
    """CSS rules of the chips with these styles."""
    styles = {chip(position).split()[1]: method_style(position) for position in positions}
    return "\n".join(
        f".{name}::before {{ background: {THEME.get(colour, colour)}; clip-path: {SHAPES[marker]}; }}"
        for name, (colour, marker) in sorted(styles.items())
    )
