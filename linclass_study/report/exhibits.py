"""The figures of a study, found by name: each file in linclass_study/report/figures is one figure.

Such a module has ``SECTION`` and ``PLACE`` (its position in the report), ``PER_DATASET``, and
``draw(outcome, dataset) -> Exhibit``, or ``draw(outcome)`` for a figure of all data sets. Its exhibits are
results/exhibits/{figure}-{dataset}/ or results/exhibits/{figure}/. Importing a module must be cheap, as the Snakefile
imports all of them.
"""

from __future__ import annotations

from types import ModuleType

from linclass_study.report import figures, sections
from linclass_study.report.figures import style
from linclass_study.results.outcome import Outcome


def modules() -> dict[str, ModuleType]:
    """Name → module of each figure, in the order of the report."""
    return sections.modules(figures, "draw")


def names() -> dict[bool, list[str]]:
    """PER_DATASET (true or false) → names of the figures."""
    found = modules()
    return {
        each: [name for name, module in found.items() if each == module.PER_DATASET]
        for each in (True, False)
    }


def section(figure: str) -> str:
    """Title of the section of a figure."""
    return sections.SECTIONS[sections.section(modules()[figure])]


def draw(outcome: Outcome, figure: str) -> None:
    """Draw and save every exhibit of one figure."""
    module, folder = modules()[figure], outcome.results / "exhibits"
    with style.settings():
        if module.PER_DATASET:
            for dataset in outcome.datasets:
                module.draw(outcome, dataset).save(folder / f"{figure}-{dataset}")
        else:
            module.draw(outcome).save(folder / figure)
