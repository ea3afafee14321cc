"""The figures of a study, found by themselves: one file in linclass_study/report/figures is one figure.

Such a module has ``PLACE`` and ``SECTION``, its place in the report, ``PER_DATASET``, and
``draw(outcome, dataset) -> Exhibit``, or ``draw(outcome)`` where one figure speaks of all data
sets. Its exhibits are results/exhibits/{figure}-{dataset}/, or results/exhibits/{figure}/.
Importing one is cheap: the Snakefile asks for their names.
"""

from __future__ import annotations

from types import ModuleType

from linclass_study.report import figures, sections
from linclass_study.report.figures import style
from linclass_study.results.outcome import Outcome


def modules() -> dict[str, ModuleType]:
    """Name of a figure → its module, in the report's order."""
    return sections.modules(figures, "draw")


def names() -> dict[bool, list[str]]:
    """Whether it is drawn for each data set → names of the figures."""
    found = modules()
    return {
        each: [name for name, module in found.items() if each == module.PER_DATASET]
        for each in (True, False)
    }


def section(figure: str) -> str:
    """The title of the section that it stands in."""
    return sections.SECTIONS[sections.section(modules()[figure])]


def draw(outcome: Outcome, figure: str) -> None:
    """Every exhibit of one figure, into the study's folder of exhibits."""
    module, folder = modules()[figure], outcome.results / "exhibits"
    with style.settings():
        if module.PER_DATASET:
            for dataset in outcome.datasets:
                module.draw(outcome, dataset).save(folder / f"{figure}-{dataset}")
        else:
            module.draw(outcome).save(folder / figure)
