"""Figures on disk: figure.svg for the page with numbers.json; figure.png and figure.pdf on demand.

Equal results give equal bytes: there are no dates, random ids or program versions in the files. The figures of a study
are results/exhibits/{figure}-{dataset}/ or results/exhibits/{figure}/; one that cannot be drawn has no files, and the
record of the figures gives the reason.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linclass_study.analysis.outcome import Outcome
from linclass_study.files.digests import sha256_of_file
from linclass_study.files.reading import naming_errors, read_mapping
from linclass_study.files.writing import atomic_write, write_json
from linclass_study.report.contents import FIGURES, Part, part_name
from linclass_study.report.drawing import style, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FILES = ("figure.svg", "numbers.json")
PICTURES = ("png", "pdf")  # for slides and papers: `linclass figures`


@dataclass(frozen=True)
class ReportFigure:
    """A figure with title, caption and numbers, or the reason why there is none."""

    figure: Figure | None
    title: str
    caption: str
    numbers: dict[str, Any]
    reason: str = ""

    @classmethod
    def nothing(cls, reason: str) -> ReportFigure:
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
        write_json(folder / "numbers.json", about)

    def save_as(self, form: str, folder: Path) -> Path:
        """Write figure.svg, figure.png or figure.pdf."""
        assert self.figure is not None
        path = folder / f"figure.{form}"
        with atomic_write(path) as partial:
            partial.write_bytes(svg.rendered(self.figure, form))
        return path


def figure_numbers(folder: Path) -> dict[str, Any] | None:
    """Content of numbers.json of a figure; None if it is missing or nothing was drawn."""
    path = folder / "numbers.json"
    numbers = read_mapping(path) if path.is_file() else {}
    return numbers if numbers.get("drawn") is True else None


def figure_names(figures: Mapping[str, Part] = FIGURES) -> dict[bool, list[str]]:
    """Whether a figure is of one data set → names of such figures."""
    parts = figures.items()
    return {each: [n for n, part in parts if part.per_dataset == each] for each in (True, False)}


def requested_figures(
    evaluation: Mapping[str, Any], methods: Mapping[str, Mapping[str, Any]]
) -> dict[str, Part]:
    """The figures of a study: all except those that it does not ask for."""
    return {name: part for name, part in FIGURES.items() if part.requested(evaluation, methods)}


def record_of(results: Path, dataset: str = "") -> Path:
    """The record of the figures of a data set, or of all data sets together: `drawn` maps their files to digests,
    `not_drawn` the figures without files to the reason.

    The record stands for these files as output of the job that draws them and as input of the page.
    """
    return results / "exhibits" / f"{dataset}.json" if dataset else results / "exhibits.json"


def draw_figures(outcome: Outcome, figures: Iterable[str], dataset: str = "") -> None:
    """Draw and save figures of one data set, or of all data sets together, and their record."""
    drawn: dict[str, str] = {}
    not_drawn: dict[str, str] = {}
    with style.settings(outcome.figure_style):
        for figure in figures:
            name = part_name(figure, dataset)
            folder = outcome.results / "exhibits" / name
            shutil.rmtree(folder, ignore_errors=True)
            drawing = draw_figure(outcome, figure, dataset)
            if drawing.figure is None:
                not_drawn[name] = drawing.reason
                continue
            drawing.save(folder)
            for file in FILES:
                drawn[f"{name}/{file}"] = sha256_of_file(folder / file)
    write_json(record_of(outcome.results, dataset), {"drawn": drawn, "not_drawn": not_drawn})


def draw_figure(outcome: Outcome, figure: str, dataset: str = "") -> ReportFigure:
    if not dataset:
        return FIGURES[figure](outcome)
    if outcome.about(dataset)["status"] == "unavailable":
        return ReportFigure.nothing(f"{dataset} is unavailable")
    if FIGURES[figure].of_runs and not (outcome.results / "runs" / dataset).exists():
        return ReportFigure.nothing(f"the predictions of {dataset} are not with these results")
    return FIGURES[figure](outcome, dataset)


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


def planned_figures(outcome: Outcome) -> dict[str, tuple[str, str]]:
    """Folder in exhibits/ → (figure, data set or ''); figures of all data sets together first."""
    names = figure_names(requested_figures(outcome.evaluation, outcome.methods))
    places = [(figure, "") for figure in names[False]]
    places += [(figure, dataset) for figure in names[True] for dataset in outcome.datasets]
    return {part_name(*place): place for place in places}


def drawn_figures(outcome: Outcome) -> dict[str, tuple[str, str]]:
    """The planned figures that could be drawn."""
    folder = outcome.results / "exhibits"
    planned = planned_figures(outcome).items()
    return {name: place for name, place in planned if figure_numbers(folder / name)}


def write_pictures(outcome: Outcome, names: Iterable[str], forms: Iterable[str]) -> list[Path]:
    """Draw figures again and write figure.png or figure.pdf beside figure.svg, unless they exist."""
    drawn, written = drawn_figures(outcome), []
    for name in names:
        folder = outcome.results / "exhibits" / name
        missing = [form for form in forms if not (folder / f"figure.{form}").is_file()]
        if missing:
            with style.settings(outcome.figure_style):
                drawing = draw_figure(outcome, *drawn[name])
                written += [drawing.save_as(form, folder) for form in missing]
    return written
