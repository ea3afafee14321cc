"""The figures of the page, as drawings inside it.

Those of hundreds of data sets are too many for one file: it holds the first of each data set, then the second, while
there is room, and says of the others where they are.
"""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup

from linclass_study.report import exhibit, exhibits
from linclass_study.report.inline_svg import inline
from linclass_study.results.outcome import Outcome

ROOM = 9_000_000  # characters of drawings

Figures = dict[
    tuple[str, str], dict[str, Any]
]  # (figure, data set or "") → what the template draws


def figures(outcome: Outcome) -> Figures:
    """Every figure that there is, those over all data sets first."""
    found = exhibits.modules()
    places = [(name, "") for name, module in found.items() if not module.PER_DATASET]
    places += [
        (name, dataset)
        for name, module in found.items()
        if module.PER_DATASET
        for dataset in outcome.datasets
    ]
    shown: Figures = {}
    room = ROOM
    for name, dataset in places:
        stem = f"{name}-{dataset}" if dataset else name
        folder = outcome.results / "exhibits" / stem
        about = json.loads((folder / "numbers.json").read_text(encoding="utf-8"))
        if not about["drawn"]:
            continue
        told = {key: about[key] for key in ("title", "caption")}
        svg = (folder / "figure.svg").read_text(encoding="utf-8")
        room -= len(svg)
        drawing = Markup(inline(svg, stem, about["title"])) if room >= 0 else None
        shown[name, dataset] = {**told, "name": stem, "svg": drawing, "files": exhibit.FILES}
    return shown
