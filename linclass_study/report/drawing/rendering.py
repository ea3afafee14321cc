"""Render a figure as SVG, PNG or PDF, reproducibly: equal figures have equal bytes.

The SVG is made small, as a page contains many: matplotlib's metadata, groups and unused ids are removed.
"""

from __future__ import annotations

import base64
import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FONT = "font-family: 'DejaVu Sans', sans-serif"


METADATA = {  # omitted: they differ from run to run, or from version to version
    "svg": ("Date", "Creator", "Format", "Type"),
    "png": ("Software",),
    "pdf": ("CreationDate", "Creator", "Producer"),
}


def rendered(figure: Figure, form: str) -> bytes:
    """As `svg`, `png` or `pdf`; an SVG is transparent, as the theme of a page may be light or dark."""
    file = io.BytesIO()
    omitted = dict.fromkeys(METADATA[form])
    figure.savefig(file, format=form, metadata=omitted, transparent=form == "svg")
    return _cleaned(file.getvalue().decode()).encode() if form == "svg" else file.getvalue()


def _cleaned(svg: str) -> str:
    """The drawing without declaration, comments, metadata, plain groups and unused ids; with the style on the root,
    so that it does not apply outside; coordinates rounded to a hundredth of a point; images with fewer colours."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<defs>\s*<style[^>]*>.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(rf' {FONT};| transform="rotate\(-0 [^"]*"', "", svg)
    style = f"stroke-linejoin: round; stroke-linecap: butt; {FONT}"
    svg = _without_plain_groups(svg.replace("<svg ", f'<svg style="{style}" ', 1))
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r"<[^>]+>", lambda tag: _shortened(tag[0], used), svg)
    return re.sub(r"\n\s*", "\n", svg)


def _without_plain_groups(svg: str) -> str:
    """Remove groups without attributes, which are half of matplotlib's tags."""
    is_kept: list[bool] = []

    def kept(tag: re.Match[str]) -> str:
        if tag[0].startswith("</"):
            return tag[0] if is_kept.pop() else ""
        if tag[0].endswith("/>"):
            return ""
        is_kept.append(not re.fullmatch(r'<g(?: id="[^"]*")?>', tag[0]))
        return tag[0] if is_kept[-1] else ""

    return re.sub(r"</?g\b[^>]*>", kept, svg)


def _shortened(tag: str, used: set[str]) -> str:
    tag = re.sub(r' id="([^"]*)"', lambda id_: id_[0] if id_[1] in used else "", tag)
    tag = re.sub(r"(?<=base64,)[^\"]+", lambda png: _fewer_colours(png[0]), tag)
    return re.sub(r"-?\d+\.\d{3,}(?![\w+/=])", lambda number: f"{float(number[0]):.2f}", tag)


def _fewer_colours(png: str) -> str:
    from PIL import Image

    image = Image.open(io.BytesIO(base64.b64decode(png)))
    small = io.BytesIO()
    image.quantize(64, method=Image.Quantize.FASTOCTREE).save(small, "png", optimize=True)
    return base64.b64encode(small.getvalue()).decode()
