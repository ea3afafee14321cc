"""Style of all figures: their width and font, one colour and marker per class, plain axes.

A layout follows from `width()` and from the measured widths of its texts, whose letters have the same size in figures
of any width. Every class and method can be told apart without colours, by its marker, its line or a name beside it.
Where each panel or row has one method, its name is beside it and marks are of INK; only figures with several methods in
one panel give them colours. matplotlib is imported only when something is drawn, as the Snakefile imports this package
for the names of the figures.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from linclass.plotting import COLOURS as COLOURS
from linclass.plotting import DASHES as DASHES
from linclass.plotting import GRID as GRID
from linclass.plotting import INK as INK
from linclass.plotting import MARKERS as MARKERS
from linclass.plotting import MUTED as MUTED
from linclass_study.figure_style import families, inches

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

TEXT, SMALL, TINY = 8.5, 7.5, 7.0  # points of letters: of axis labels, of names, and the smallest
SETTINGS: Any = {
    "figure.dpi": 100,
    "savefig.dpi": 180,
    "savefig.transparent": False,
    # The first ones are bundled with Matplotlib: the same widths everywhere. An SVG names those as wide as STIX, too.
    "font.family": families({}),
    "font.sans-serif": ["DejaVu Sans"],
    "font.serif": ["STIX Two Text", "Times New Roman", "Liberation Serif", "DejaVu Serif"],
    "font.size": TEXT,
    "text.color": INK,
    "text.parse_math": False,  # names of users may contain $
    "text.hinting": "none",  # as wide in a PNG as measured and as in a PDF
    "axes.unicode_minus": True,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 8.5,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "lines.solid_capstyle": "round",
    "svg.fonttype": "none",  # text stays text: small and searchable
    "svg.hashsalt": "linclass",
    "pdf.fonttype": 42,  # embedded TrueType, as journals require
    "path.simplify_threshold": 0.25,  # of a point: invisible, and files are a third as large
}


def settings(figure_style: Mapping[str, str] | None = None) -> AbstractContextManager[None]:
    """Context in which figures are drawn and saved in this style, with the width and font of a study."""
    from matplotlib import rc_context

    asked = figure_style or {}
    size = inches(asked), inches(asked) / 2
    return rc_context(SETTINGS | {"font.family": families(asked), "figure.figsize": size})


def width() -> float:
    """Inches of a figure that is as wide as the study asks for."""
    from matplotlib import rcParams

    return float(rcParams["figure.figsize"][0])


def canvas(width: float, height: float) -> Figure:
    """A figure of this size in inches, without pyplot and its global state."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


def framed(
    left: float, below: float, right: float, above: float, tall: float
) -> tuple[Figure, Axes]:
    """A figure as wide as the study asks for, and axes of height `tall` within these margins; all in inches."""
    whole, height = width(), below + tall + above
    figure = canvas(whole, height)
    place = left / whole, below / height, 1 - (left + right) / whole, tall / height
    return figure, figure.add_axes(place)


def method_style(place: int) -> tuple[str, str]:
    """Colour and marker of a class, or of a method in a figure of several, by its place; the markers of the first 13
    differ, neighbours differ in both, and the first two colours, blue and orange, have the strongest contrast."""
    return COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]


def tinted(colour: str, shares: np.ndarray) -> np.ndarray:
    """RGBA of cells, from nothing to a tint on which INK is legible in the light and the dark theme."""
    import numpy as np
    from matplotlib.colors import to_rgb

    tint = np.empty((*np.shape(shares), 4))
    tint[..., :3], tint[..., 3] = to_rgb(colour), 0.6 * np.clip(shares, 0, 1)
    return tint


def text_width(text: str, size: float) -> float:
    """Inches of the longest line of a text."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    measure = text_to_path.get_text_width_height_descent
    return float(max(measure(line, font, False)[0] for line in text.split("\n")) / 72)


def widest(texts: Iterable[str], size: float) -> float:
    return max((text_width(text, size) for text in texts), default=0.0)


def fitted(name: str, room: float, size: float, lines: int = 1) -> str:
    """A name in at most `lines` lines that are no wider than so many inches; its middle is omitted if necessary."""
    if text_width(name, size) <= room:
        return name
    share = room / text_width(name, size)
    for letters in range(min(len(name), int(len(name) * share) + 4), 2, -1):
        text = wrapped(name, letters, lines)
        if text_width(text, size) <= room:
            return text
    return wrapped(name, 2, lines)


def broken(text: str, room: float, size: float = TEXT) -> str:
    """A text broken at spaces into the fewest lines of at most so many inches, which are about equally long."""
    words = [fitted(word, room, size) for word in text.split(" ")]

    def lines(limit: float) -> list[str]:
        found = words[:1]
        for word in words[1:]:
            longer = f"{found[-1]} {word}"
            if text_width(longer, size) <= limit:
                found[-1] = longer
            else:
                found.append(word)
        return found

    best = lines(room)
    while len(best) > 1 and len(tighter := lines(widest(best, size) - 1e-6)) == len(best):
        if widest(tighter, size) >= widest(best, size):
            break
        best = tighter
    return "\n".join(best)


def wrapped(name: str, width: int, lines: int = 2) -> str:
    """A name in at most `lines` lines, broken at separators; its middle is omitted if necessary."""
    longest = width * lines
    if len(name) > longest:
        name = f"{name[: longest // 2 - 1]}…{name[-(longest - longest // 2 - 1) :]}"
    joints = name.replace("_", "_\u200b").replace("-", "-\u200b").replace("\u200b", " ")
    parts = textwrap.wrap(joints, width + 2, break_on_hyphens=False)
    if len(parts) > lines or any(len(part) > width + 4 for part in parts):
        parts = [name[i : i + width] for i in range(0, len(name), width)]
    return "\n".join(part.replace("_ ", "_").replace("- ", "-") for part in parts)


def mark_log(axis: Axis) -> None:
    """Labels of a logarithmic axis, or of one that is linear near 0: 0, powers of ten, and where there is room 2 and 5
    times them. The limits must be set. Mathematical text, which Matplotlib would use, is off (SETTINGS)."""
    low, high = sorted(axis.get_view_interval())
    symlog = axis.get_scale() == "symlog"
    largest = max(1, math.ceil(math.log10(high))) if high > 0 else 1
    least = -13 if symlog else math.ceil(math.log10(low))
    powers = [10.0**k for k in range(largest, least - 1, -1) if 10.0**k <= high]
    if symlog:
        mark(axis, [0.0, *(digit * power for digit in (1, 2, 5) for power in powers)])
        return
    every = 1
    while mark(axis, powers[::every]) < len(powers[::every]):
        every += 1
    if len(powers) < 3:
        below = (*powers, 10.0 ** (least - 1))
        mark(axis, [*powers, *(digit * power for digit in (2, 5) for power in below)])


def mark(axis: Axis, values: Iterable[float]) -> int:
    """Ticks at values that are within the limits and whose labels do not overlap those before; their number."""
    low, high = sorted(axis.get_view_interval())
    transform = axis.get_transform().transform
    box, figure = axis.axes.get_position(), axis.axes.figure.get_figure(root=True)
    is_x = axis is axis.axes.xaxis
    length = box.width * figure.get_figwidth() if is_x else box.height * figure.get_figheight()
    inches = length / abs(float(transform(high) - transform(low)))
    taken: list[tuple[float, float, float]] = []
    for value in values:
        if not low <= value <= high:
            continue
        size = (text_width(_plain(value), 8) if is_x else 0.12) / 2 + 0.04
        place = float(transform(value)) * inches
        if all(abs(place - other) >= size + half for _, other, half in taken):
            taken.append((value, place, size))
    axis.set_minor_formatter(lambda *_: "")
    axis.set_ticks([value for value, _, _ in taken], [_plain(value) for value, _, _ in taken])
    return len(taken)


def _plain(value: float) -> str:
    """50,000 and 0.002, but 2·10⁻⁵"""
    if not value or 1e-3 <= abs(value) < 1e6:
        return f"{value:,.6g}"
    digit, exponent = f"{value:.0e}".split("e")
    power = "10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return power if digit == "1" else f"{digit}·{power}"


def quiet(axes: Axes) -> None:
    """An axis without line and ticks, for names."""
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
