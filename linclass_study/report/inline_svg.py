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


def chip(position: int) -> str:
    """The colour and marker of a method, as small as a letter, for tables."""
    colour, marker = style.of_method(position)
    colour = THEME.get(colour, colour)
    return (
        '<svg class="chip" viewBox="-6 -6 12 12" aria-hidden="true">'
        f'<path d="{SHAPES[marker]}" style="fill:{colour}"/></svg>'
    )


SHAPES = {
    "o": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "s": "M-4.4-4.4h8.8v8.8h-8.8z",
    "^": "M0-5L5 4.4h-10z",
    "D": "M0-5.6L5.6 0L0 5.6L-5.6 0z",
    "v": "M0 5L5-4.4h-10z",
    "P": "M-1.8-5h3.6v3.2h3.2v3.6h-3.2v3.2h-3.6v-3.2h-3.2v-3.6h3.2z",
    "X": "M-5-2.8L-2.8-5L0-2.3L2.8-5L5-2.8L2.3 0L5 2.8L2.8 5L0 2.3L-2.8 5L-5 2.8L-2.3 0z",
}
