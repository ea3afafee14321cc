"""One figure on disk: figure.svg for the report, figure.png for slides, figure.pdf for papers, numbers.json.

Equal outcomes have equal bytes: there are no dates, random ids or program versions in the files.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linclass_study.report.drawing import notice, rendering, style
from linclass_study.unfinished_file import unfinished_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILES = ("figure.svg", "figure.png", "figure.pdf", "numbers.json")


@dataclass(frozen=True)
class Exhibit:
    """A figure with title, caption and numbers, or the reason why there is none."""

    figure: Figure | None
    title: str
    caption: str
    numbers: dict[str, Any]
    reason: str = ""

    @classmethod
    def nothing(cls, reason: str) -> Exhibit:
        return cls(None, "", "", {}, reason)

    def save(self, folder: Path) -> None:
        """Write the figure in three formats and numbers.json.

        Without a figure, numbers.json and the SVG give the reason; the files for slides and papers are empty.
        """
        folder.mkdir(parents=True, exist_ok=True)
        if self.figure is not None:
            about = {"drawn": True, "title": self.title, "caption": self.caption, **self.numbers}
            drawn = rendering.rendered(self.figure)
        else:
            about = {"drawn": False, "reason": self.reason}
            with style.settings():
                drawn = rendering.rendered(notice.notice(self.reason))[0], b"", b""
        text = json.dumps(_finite(about), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        for name, content in zip(FILES, (*drawn, text.encode()), strict=True):
            with unfinished_file(folder / name) as partial:
                partial.write_bytes(content)


def _finite(value: Any) -> Any:
    """Replace NaN and infinities, which JSON lacks, by null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(own) for own in value]
    return value
