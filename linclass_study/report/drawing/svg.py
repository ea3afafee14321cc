"""Figures as SVG, PNG or PDF, reproducibly (equal figures have equal bytes), and an SVG inside a page.

The SVG is made small, as a page contains many: matplotlib's metadata, groups and unused ids are removed.
"""

from __future__ import annotations

import base64
import html
import io
import re
from typing import TYPE_CHECKING

from linclass_study.errors import StudyError
from linclass_study.report.drawing import style

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


#: Colours that are invisible on a dark page → variable of the page's CSS.
THEME = {
    style.INK: "var(--ink)",
    style.MUTED: "var(--muted)",
    style.GRID: "var(--rule)",
    style.COLOURS[6]: "var(--wine)",
    "#ffffff": "var(--paper)",
}


#: What our drawings consist of; the file may come from somebody else's results.
ALLOWED_TAG = re.compile(
    r"</?(?:svg|g|path|use|defs|clipPath|rect|text|tspan|image|pattern)"
    r'(?:\s+(?!(?i:on|src))[\w:-]++="[^"<>\\]*+")*+\s*+/?>'
)
ACTIVE_CONTENT = re.compile(
    r'href="(?!#|data:image/png;)|url\((?!#)|position:|image-set', re.I
)  # in its text without HTML's entities


def inline(svg: str, name: str, title: str) -> str:
    """The <svg> element of exhibit `name`, ready for HTML; a drawing with anything active or external is refused."""
    for tag in re.findall("<[^>]*>?", svg):
        if not ALLOWED_TAG.fullmatch(tag) or ACTIVE_CONTENT.search(html.unescape(tag)):
            raise StudyError(
                f"exhibits/{name}/figure.svg has {tag[:60]}, which no figure has; delete it"
            )
    prefix = re.sub(r"[^A-Za-z0-9-]", lambda odd: f"_{ord(odd[0]):x}_", name)
    svg = re.sub(r"<[^>]+>", lambda tag: _adapted(tag[0], prefix), svg)
    svg = re.sub(r'\s(?:width|height)="[\d.]+pt"', "", svg, count=2)
    svg = re.sub(r'\s(?:xmlns(?::xlink)?|version)="[^"]*"', "", svg, count=3)
    label = html.escape(title, quote=True)
    box = re.search(r'viewBox="0 0 ([\d.]+)', svg)
    if box:  # beside the drawing's own style, if it has one
        points = f'<svg style="--points: {float(box[1]):.0f}'
        svg = re.sub(
            r'<svg(?: style="(.*?)")?', lambda own: f'{points}; {own[1] or ""}"', svg, count=1
        )
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1).strip()


def _adapted(tag: str, prefix: str) -> str:
    """Adapt a tag; texts between tags are not changed (a class may be called #ffffff)."""
    tag = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{prefix}.", tag)
    for colour, variable in THEME.items():
        tag = tag.replace(colour, variable)
    return tag
