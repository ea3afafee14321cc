"""results/textbook/textbook.html: all exhibits in the order of the course, with captions and published numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from linclass_study.entries import leaves
from linclass_study.files.reading import read_mapping
from linclass_study.report.cells import TEMPLATES, templates
from linclass_study.report.drawing.svg import inline
from linclass_study.textbook import course, published
from linclass_study.textbook.course import Caption
from linclass_study.textbook.published import Check

MAX_NUMBERS = 80  # numbers of one exhibit on the page; all are in its numbers.json
REM = 8.4  # points of a figure per rem of the page, so that its text has the size of the captions


def page(folder: Path, checks: Sequence[Check]) -> str:
    """The page of the exhibits in `folder`."""
    environment = templates()
    environment.filters |= {"number": number, "ours": ours, "breakable": breakable_path}
    chapters = {
        title: [_section(folder, name, checks) for name in names]
        for title, names in course.chapters().items()
    }
    return environment.get_template("textbook.html.j2").render(
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),
        chapters=chapters,
        report=(folder.parent / "report.html").exists(),
        summary=published.summary(checks),
        differ=grouped(checks, "differs"),
        missed=grouped(checks, "missed"),
        marks=published.MARKS,
    )


def _section(folder: Path, name: str, checks: Sequence[Check]) -> dict[str, Any]:
    about = read_mapping(folder / name / "numbers.json")
    caption = Caption.of(course.script(name))
    svg = (folder / name / "figure.svg").read_text(encoding="utf-8") if about["drawn"] else ""
    own = {key: value for key, value in about.items() if key not in ("drawn", "title", "caption")}
    # their paths as in config/published.yaml
    numbers = [(".".join(map(str, path)), value) for path, value in leaves(own)]
    return {
        "name": name,
        "caption": caption,
        "reason": "" if about["drawn"] else about["reason"],
        "svg": Markup(inline(svg, name, caption.title)) if svg else "",
        "width": width(svg) if svg else 0,
        "checks": [check for check in checks if check.exhibit == name],
        "numbers": numbers[:MAX_NUMBERS] if about["drawn"] else [],
    }


def grouped(checks: Sequence[Check], status: str) -> list[list[Check]]:
    """Checks with this status, grouped by exhibit and reason."""
    groups: dict[tuple[str, str], list[Check]] = {}
    for check in checks:
        if check.status == status:
            groups.setdefault((check.exhibit, check.reason), []).append(check)
    return list(groups.values())


def number(value: Any) -> str:
    """A number with ten digits, the most that any source prints; a text or boolean as it is."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    return f"{value:.10g}" if abs(value) > 1e-8 else f"{value:.3g}"


def ours(check: Check) -> str:
    """Our number, with two digits more than a published one is held to; all ten if it differs, and of identities."""
    whole = check.kind == "identity" or check.status == "differs" or check.tolerance <= 0
    if check.ours is None or whole:
        return number(check.ours)
    return number(round(check.ours, 1 - math.floor(math.log10(check.tolerance))))


def breakable_path(path: str) -> Markup:
    """Allow line breaks in a long path after dots and underscores."""
    return Markup(re.sub(r"([._])", r"\1<wbr>", str(escape(path))))


def width(svg: str) -> float:
    """Width of a figure in rem, so that the text of all figures has the same size."""
    box = re.search(r'viewBox="0 0 ([\d.]+)', svg)
    return round(float(box[1]) / REM, 1) if box else 40.0
