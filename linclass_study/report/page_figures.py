"""The figures that are embedded in the page.

The figures of hundreds of data sets are too many for one file. The page contains the first figure of each data set,
then the second, up to a limit of size, and the paths of the others.
"""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from linclass_study.analysis.outcome import Outcome
from linclass_study.files.reading import read_mapping
from linclass_study.report import exhibit
from linclass_study.report.exhibits import (
    asked_figures,
    exhibit_name,
    figure_modules,
    read_record,
)
from linclass_study.report.inline_svg import inline
from linclass_study.report.sections import section_name

MOST_CHARACTERS = 9_000_000  # characters of embedded SVG

Figures = dict[tuple[str, str], dict[str, Any]]  # (figure, data set or "") → the template's item


def not_drawn(outcome: Outcome, section: str) -> list[str]:
    """Why figures of all data sets are not drawn in a section of the page, in its order."""
    reasons = read_record(outcome.results)["not_drawn"]
    return [
        reasons[name]
        for name, module in figure_modules().items()
        if name in reasons and section_name(module) == section
    ]


def figures(outcome: Outcome) -> Figures:
    """All figures that the study asks for and that could be drawn, those of all data sets together first."""
    found = asked_figures(outcome.evaluation, outcome.methods)
    places = [(name, "") for name, module in found.items() if not module.PER_DATASET]
    places += [
        (name, dataset)
        for name, module in found.items()
        if module.PER_DATASET
        for dataset in outcome.datasets
    ]
    shown: Figures = {}
    remaining = MOST_CHARACTERS
    for name, dataset in places:
        stem = exhibit_name(name, dataset)
        folder = outcome.results / "exhibits" / stem
        if not folder.is_dir():
            continue
        about = read_mapping(folder / "numbers.json")
        texts = {key: about[key] for key in ("title", "caption")}
        svg = (folder / "figure.svg").read_text(encoding="utf-8")
        remaining -= len(svg)
        drawing = Markup(inline(svg, stem, about["title"])) if remaining >= 0 else None
        shown[name, dataset] = {**texts, "name": stem, "svg": drawing, "files": exhibit.FILES}
    return shown
