"""A figure as SVG, PNG and PDF, of which the same figure gives the same bytes.

The SVG is small, as a page holds many: matplotlib's has metadata, groups and ids that nothing needs.
"""

from __future__ import annotations

import base64
import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FONT = "font-family: 'DejaVu Sans', sans-serif"


def rendered(figure: Figure) -> tuple[bytes, bytes, bytes]:
    """As SVG, PNG and PDF."""
    svg, png, pdf = io.StringIO(), io.BytesIO(), io.BytesIO()
    unsaid = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(svg, format="svg", metadata=unsaid, transparent=True)
    figure.savefig(png, format="png", metadata={"Software": None})
    unsaid = dict.fromkeys(("CreationDate", "Creator", "Producer"))
    figure.savefig(pdf, format="pdf", metadata=unsaid)
    return _cleaned(svg.getvalue()).encode(), png.getvalue(), pdf.getvalue()


def _cleaned(svg: str) -> str:
    """The drawing alone: no declaration, comments, metadata, groups without a say or ids that nothing refers
    to; its style on the root, so that it stays inside; coordinates to a hundredth of a point; small images."""
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
    """Groups that say nothing of what is in them are half of matplotlib's tags."""
    said: list[bool] = []

    def kept(tag: re.Match[str]) -> str:
        if tag[0].startswith("</"):
            return tag[0] if said.pop() else ""
        if tag[0].endswith("/>"):
            return ""
        said.append(not re.fullmatch(r'<g(?: id="[^"]*")?>', tag[0]))
        return tag[0] if said[-1] else ""

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
