"""A figure's SVG inside a page: ids that meet no other figure's, and ink that follows the theme."""

from __future__ import annotations

import html
import re

from linclass_study.report.figures import style

#: Colours that a dark page cannot show, and the page's variable for each.
THEME = {
    style.INK: "var(--ink)",
    style.MUTED: "var(--muted)",
    style.GRID: "var(--rule)",
    style.COLOURS[6]: "var(--wine)",
    "#ffffff": "var(--paper)",
}


def inline(svg: str, name: str, title: str) -> str:
    """The <svg> element of exhibit `name`, to be put into HTML as it is."""
    prefix = re.sub(r"[^A-Za-z0-9-]", lambda odd: f"_{ord(odd[0]):x}_", name)
    svg = re.sub(r"<[^>]+>", lambda tag: _adapted(tag[0], prefix), svg)
    svg = re.sub(r'\s(?:width|height)="[\d.]+pt"', "", svg, count=2)
    svg = re.sub(r'\s(?:xmlns(?::xlink)?|version)="[^"]*"', "", svg, count=3)
    label = html.escape(title, quote=True)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1).strip()


def _adapted(tag: str, prefix: str) -> str:
    """Tags alone: a class that is called #ffffff keeps its name."""
    tag = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{prefix}.", tag)
    for colour, variable in THEME.items():
        tag = tag.replace(colour, variable)
    return tag
