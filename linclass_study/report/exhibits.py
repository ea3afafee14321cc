"""The figures of a study, found by name: each file in linclass_study/report/figures is one figure.

Such a module has ``SECTION`` and ``PLACE`` (its position in the report), ``PER_DATASET``, and
``draw(outcome, dataset) -> Exhibit``, or ``draw(outcome)`` for a figure of all data sets. Its exhibits are
results/exhibits/{figure}-{dataset}/ or results/exhibits/{figure}/; one without a figure has no files, and the record
of the exhibits gives the reason. If it shows what a study keeps on request only, it has ``asked(evaluation, methods)``,
and a study that does not ask for it has no such exhibits. Importing a module must be cheap, as the Snakefile imports
all of them.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from linclass_study.analysis.outcome import Outcome
from linclass_study.files.reading import naming_errors, read_mapping
from linclass_study.files.writing import atomic_write
from linclass_study.report import figures, sections
from linclass_study.report.drawing import style
from linclass_study.report.exhibit import FILES, Exhibit, is_drawn
from linclass_study.report.sections import modules_with, section_name


def figure_modules() -> dict[str, ModuleType]:
    """Name → module of each figure, in the order of the report."""
    return modules_with(figures, "draw")


def figure_names(figures: Mapping[str, ModuleType] | None = None) -> dict[bool, list[str]]:
    """PER_DATASET (true or false) → names of the figures, by default of all."""
    found = figure_modules() if figures is None else figures
    return {
        each: [name for name, module in found.items() if each == module.PER_DATASET]
        for each in (True, False)
    }


def asked_figures(
    evaluation: Mapping[str, Any], methods: Mapping[str, Mapping[str, Any]]
) -> dict[str, ModuleType]:
    """The figures of a study: all but those of what it does not ask for."""
    return {
        name: module
        for name, module in figure_modules().items()
        if not hasattr(module, "asked") or module.asked(evaluation, methods)
    }


def section_title(figure: str) -> str:
    """Title of the section of a figure."""
    return sections.SECTIONS[section_name(figure_modules()[figure])]


def exhibit_name(figure: str, dataset: str = "") -> str:
    return f"{figure}-{dataset}" if dataset else figure


def record_of(results: Path, dataset: str = "") -> Path:
    """The record of the exhibits of a data set, or of all data sets together: `drawn` maps their files to digests,
    `not_drawn` the figures without files to the reason.

    It stands for these files as output of the job that draws them and as input of the page.
    """
    return results / "exhibits" / f"{dataset}.json" if dataset else results / "exhibits.json"


def write_exhibits(outcome: Outcome, figures: Iterable[str], dataset: str = "") -> None:
    """Draw and save figures of one data set, or of all data sets together, and their record."""
    drawn: dict[str, str] = {}
    not_drawn: dict[str, str] = {}
    for figure in figures:
        name = exhibit_name(figure, dataset)
        folder = outcome.results / "exhibits" / name
        shutil.rmtree(folder, ignore_errors=True)
        with style.settings():
            exhibit = draw_exhibit(outcome, figure, dataset)
            if exhibit.figure is None:
                not_drawn[name] = exhibit.reason
                continue
            exhibit.save(folder)
        for file in FILES:
            drawn[f"{name}/{file}"] = hashlib.sha256((folder / file).read_bytes()).hexdigest()
    with atomic_write(record_of(outcome.results, dataset)) as partial:
        text = json.dumps({"drawn": drawn, "not_drawn": not_drawn}, indent=1, ensure_ascii=False)
        partial.write_text(text + "\n", encoding="utf-8")


def draw_exhibit(outcome: Outcome, figure: str, dataset: str = "") -> Exhibit:
    module = figure_modules()[figure]
    exhibit: Exhibit = module.draw(outcome, dataset) if dataset else module.draw(outcome)
    return exhibit


def read_record(results: Path, dataset: str = "") -> dict[str, dict[str, str]]:
    """A record; without one, that nothing was drawn."""
    path = record_of(results, dataset)
    try:
        record = read_mapping(path)
    except FileNotFoundError:
        return {"drawn": {}, "not_drawn": {}}
    with naming_errors(path):
        for part in ("drawn", "not_drawn"):
            if not isinstance(record.get(part), dict):
                raise ValueError(f"its '{part}' is not a mapping")
    return record


def lost_files(results: Path, dataset: str = "") -> list[str]:
    """Files in exhibits/ that were drawn and do not exist any more."""
    drawn = read_record(results, dataset)["drawn"]
    return [file for file in drawn if not (results / "exhibits" / file).is_file()]


def drawn_exhibits(outcome: Outcome) -> dict[str, tuple[str, str]]:
    """Exhibit → its figure and its data set, if it is of one: those of the study that have a figure."""
    names = figure_names(asked_figures(outcome.evaluation, outcome.methods))
    places = {
        exhibit_name(figure, dataset): (figure, dataset)
        for dataset in ("", *outcome.datasets)
        for figure in names[bool(dataset)]
    }
    folder = outcome.results / "exhibits"
    return {name: place for name, place in places.items() if is_drawn(folder / name)}


def write_pictures(outcome: Outcome, exhibits: Iterable[str], forms: Iterable[str]) -> list[Path]:
    """Draw exhibits again and write figure.png or figure.pdf beside figure.svg, unless they are there."""
    drawn, written = drawn_exhibits(outcome), []
    for name in exhibits:
        folder = outcome.results / "exhibits" / name
        missing = [form for form in forms if not (folder / f"figure.{form}").is_file()]
        if missing:
            with style.settings():
                exhibit = draw_exhibit(outcome, *drawn[name])
                written += [exhibit.save_as(form, folder) for form in missing]
    return written
