"""A figure's SVG inside a page: unique ids, and colours that follow the theme."""

from __future__ import annotations

import html
import re

from linclass_study.errors import StudyError
from linclass_study.report.drawing import style

#: Colours that are invisible on a dark page → variable of the page's CSS.
THEME = {
    style.INK: "var(--ink)",
    style.MUTED: "var(--muted)",
    style.GRID: "var(--rule)",
    style.COLOURS[6]: "var(--wine)",
    "#ffffff": "var(--paper)",
}


#: What our drawings consist of; the file may come from somebody else's results.
TAG = re.compile(
    r"</?(?:svg|g|path|use|defs|clipPath|rect|text|tspan|image|pattern)"
    r'(?:\s+(?!(?i:on|src))[\w:-]++="[^"<>\\]*+")*+\s*+/?>'
)
ACTIVE = re.compile(
    r'href="(?!#|data:image/png;)|url\((?!#)|position:|image-set', re.I
)  # in its text without HTML's entities


def inline(svg: str, name: str, title: str) -> str:
    """The <svg> element of exhibit `name`, ready for HTML; a drawing with anything active or external is refused."""
    for tag in re.findall("<[^>]*>?", svg):
        if not TAG.fullmatch(tag) or ACTIVE.search(html.unescape(tag)):
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
