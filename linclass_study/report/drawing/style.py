"""Style of all figures: one colour and marker per class, plain axes.

Where each panel or row has one method, its name is beside it and marks are of INK; only figures with several methods in
one panel give them colours. matplotlib is imported only when something is drawn, as the Snakefile imports this package
for the names of the figures.
"""

from __future__ import annotations

import math
import textwrap
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from linclass.plotting import COLOURS as COLOURS
from linclass.plotting import GRID as GRID
from linclass.plotting import INK as INK
from linclass.plotting import MARKERS as MARKERS
from linclass.plotting import MUTED as MUTED

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

SETTINGS: Any = {
    "figure.dpi": 100,
    "savefig.dpi": 180,
    "savefig.transparent": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # bundled with matplotlib: the same widths everywhere
    "font.size": 8.5,
    "text.color": INK,
    "text.parse_math": False,  # names of users may contain $
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


def settings() -> AbstractContextManager[None]:
    """Context in which figures are drawn and saved in this style."""
    from matplotlib import rc_context

    return rc_context(SETTINGS)


def canvas(width: float, height: float) -> Figure:
    """A figure of this size in inches, without pyplot and its global state."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


def legend(figure: Figure, *arguments: Any, **options: Any) -> None:
    """A legend without a frame at the top left of a figure; `left` is its distance from the edge in inches."""
    left = options.pop("left", 0.0) / figure.get_figwidth()
    usual = {"loc": "upper left", "bbox_to_anchor": (left, 1.0), "frameon": False, "borderpad": 0.2}
    figure.legend(*arguments, **usual | options)


def method_style(place: int) -> tuple[str, str]:
    """Colour and marker of a method in a figure of several, by its place there; the first 56 differ."""
    return COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]


def class_style(code: int) -> tuple[str, str]:
    """Colour and marker of a class; the first two, blue and orange, have the strongest contrast."""
    return method_style(code)


def tinted(colour: str, shares: np.ndarray) -> np.ndarray:
    """RGBA of cells, from nothing to a tint on which INK is legible in the light and the dark theme."""
    import numpy as np
    from matplotlib.colors import to_rgb

    tint = np.empty((*np.shape(shares), 4))
    tint[..., :3], tint[..., 3] = to_rgb(colour), 0.6 * np.clip(shares, 0, 1)
    return tint


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


def plain_log(axis: Axis) -> None:
    """A logarithmic axis with plain numbers, as mathematical text is off (SETTINGS).

    Powers of ten have labels, and within two decades their triples, within one their doubles and quintuples.
    """
    import numpy as np

    def between(value: float, _: float) -> str:
        low, high = sorted(axis.get_view_interval())
        decades = np.log10(high / low) if low > 0 else np.inf
        labelled = (2, 5) if decades <= 1 else (3,) if decades <= 2 else ()
        digit = round(value / 10 ** np.floor(np.log10(value))) if value > 0 else 0
        return f"{value:g}" if digit in labelled else ""

    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(between)


def mark_symlog(axis: Axis) -> None:
    """Labels of an axis that is linear near 0: 0, powers of ten, and where there is room 2 and 5 times them."""
    low, high = sorted(axis.get_view_interval())
    place = axis.get_transform().transform
    gap = float(place(high) - place(low)) / 12
    largest = max(1, math.ceil(math.log10(high))) if high > 0 else 1
    marks: list[float] = []
    for value in (0.0, *(digit * 10.0**k for digit in (1, 2, 5) for k in range(largest, -6, -1))):
        if low <= value <= high and all(abs(place(value) - place(mark)) >= gap for mark in marks):
            marks.append(value)
    axis.set_ticks(marks, [f"{mark:g}" for mark in marks])


def quiet(axes: Axes) -> None:
    """An axis without line and ticks, for names."""
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
