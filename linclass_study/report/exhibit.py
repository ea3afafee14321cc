"""One figure on disk: figure.svg for the page with numbers.json; figure.png and figure.pdf on demand.

Equal outcomes have equal bytes: there are no dates, random ids or program versions in the files.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linclass_study.files.reading import read_mapping
from linclass_study.files.writing import atomic_write
from linclass_study.report.drawing import rendering

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILES = ("figure.svg", "numbers.json")
PICTURES = ("png", "pdf")  # for slides and papers: `linclass figures`


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
        """Write figure.svg and numbers.json; without a figure, numbers.json alone, with the reason."""
        for form in ("svg", *PICTURES):  # of an earlier drawing
            (folder / f"figure.{form}").unlink(missing_ok=True)
        if self.figure is not None:
            about = {"drawn": True, "title": self.title, "caption": self.caption, **self.numbers}
            self.save_as("svg", folder)
        else:
            about = {"drawn": False, "reason": self.reason}
        text = json.dumps(_finite(about), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        _written(folder / "numbers.json", text.encode())

    def save_as(self, form: str, folder: Path) -> Path:
        """Write figure.svg, figure.png or figure.pdf."""
        assert self.figure is not None
        return _written(folder / f"figure.{form}", rendering.rendered(self.figure, form))


def is_drawn(folder: Path) -> bool:
    """Whether an exhibit exists and has a figure."""
    numbers = folder / "numbers.json"
    return numbers.is_file() and read_mapping(numbers)["drawn"] is True


def _written(path: Path, content: bytes) -> Path:
    with atomic_write(path) as partial:
        partial.write_bytes(content)
    return path


def _finite(value: Any) -> Any:
    """Replace NaN and infinities, which JSON lacks, by null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(own) for own in value]
    return value
