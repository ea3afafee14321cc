"""`figure_style:` of a study: the width of its figures in inches, and the families of their font."""

from __future__ import annotations

import re
from collections.abc import Mapping

from linclass_study.entries import Problems
from linclass_study.errors import suggest_name

UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72}  # inches
WIDTH, NARROWEST, WIDEST = 7.2, 3.0, 20.0  # inches: the default, and the limits
FAMILIES = {"sans-serif": ["sans-serif"], "serif": ["STIXGeneral", "serif"]}


def inches(figure_style: Mapping[str, str]) -> float:
    number, unit = re.findall(r"[\d.]+|[a-z]+", figure_style.get("width", f"{WIDTH}in"))
    return float(number) * UNITS[unit]


def families(figure_style: Mapping[str, str]) -> list[str]:
    """The font of a figure, and that from which letters are taken that it does not have."""
    font = str(figure_style.get("font", "sans-serif"))
    return FAMILIES.get(font, [font, "sans-serif"])


def figure_style_problems(figure_style: Mapping[str, str], check: bool = True) -> Problems:
    """(path of keys, sentence); `check` whether the font is installed, too."""
    if not NARROWEST - 1e-6 <= inches(figure_style) <= WIDEST + 1e-6:
        limits = f"between {NARROWEST:g}in and {WIDEST:g}in"
        sentence = f"'{figure_style['width']}' is not {limits}; a column of a paper has 3.3in"
        yield ["figure_style", "width"], sentence
    font = figure_style.get("font", "sans-serif")
    if check and font not in FAMILIES:
        from matplotlib.font_manager import get_font_names

        if font not in (known := get_font_names()):
            near = suggest_name(font, [*FAMILIES, *known])
            sentence = f"'{font}' is not serif, sans-serif or an installed font family; {near}"
            yield ["figure_style", "font"], sentence
