"""One figure on disk: figure.svg for the report, figure.png for slides, numbers.json behind both.

The same outcome gives the same bytes: no dates, no random ids, no version of the program.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linclass_study.report import notice

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILES = ("figure.svg", "figure.png", "numbers.json")


@dataclass(frozen=True)
class Exhibit:
    """A figure, its title and caption, and the numbers it shows; or the reason why there is none."""

    figure: Figure | None
    title: str
    caption: str
    numbers: dict[str, Any]
    reason: str = ""

    @classmethod
    def nothing(cls, reason: str) -> Exhibit:
        return cls(None, "", "", {}, reason)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        about = {"drawn": True, "title": self.title, "caption": self.caption, **self.numbers}
        if self.figure is None:
            about = {"drawn": False, "reason": self.reason}
        svg, png = notice.rendered(self.reason) if self.figure is None else _rendered(self.figure)
        text = json.dumps(about, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        for name, content in zip(FILES, (svg.encode(), png, text.encode()), strict=True):
            partial = folder / f"{name}.partial"
            partial.write_bytes(content)
            os.replace(partial, folder / name)


def _rendered(figure: Figure) -> tuple[str, bytes]:
    svg, png = io.StringIO(), io.BytesIO()
    unsaid = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(svg, format="svg", metadata=unsaid, transparent=True)
    figure.savefig(png, format="png", metadata={"Software": None})
    return _cleaned(svg.getvalue()), png.getvalue()


def _cleaned(svg: str) -> str:
    """The drawing alone: no declaration, comments, metadata or ids that nothing refers to; its style
    on the root, so that it stays inside; coordinates to a hundredth of a point; small images."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<defs>\s*<style[^>]*>.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL)
    svg = svg.replace("<svg ", '<svg style="stroke-linejoin: round; stroke-linecap: butt" ', 1)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r"<[^>]+>", lambda tag: _shortened(tag[0], used), svg)
    return re.sub(r"\n\s*", "\n", svg)


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
