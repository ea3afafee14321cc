"""The figures of a study, found by name: each file in linclass_study/report/figures is one figure.

Such a module has ``SECTION`` and ``PLACE`` (its position in the report), ``PER_DATASET``, and
``draw(outcome, dataset) -> Exhibit``, or ``draw(outcome)`` for a figure of all data sets. Its exhibits are
results/exhibits/{figure}-{dataset}/ or results/exhibits/{figure}/. If it shows what a study keeps on request only, it
has ``asked(evaluation, methods)``, and a study that does not ask for it has no such exhibits. Importing a module must
be cheap, as the Snakefile imports all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from linclass_study.report import figures, sections
from linclass_study.report.drawing import style
from linclass_study.report.sections import modules_with, section_name
from linclass_study.results.outcome import Outcome


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


def draw_exhibits(outcome: Outcome, figure: str) -> None:
    """Draw and save every exhibit of one figure."""
    module, folder = figure_modules()[figure], outcome.results / "exhibits"
    with style.settings():
        if module.PER_DATASET:
            for dataset in outcome.datasets:
                module.draw(outcome, dataset).save(folder / f"{figure}-{dataset}")
        else:
            module.draw(outcome).save(folder / figure)
