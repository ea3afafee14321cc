"""The tables of the page, found by themselves: one file in linclass_study/report/tables is one table.

Such a module has ``PLACE``, ``SECTION`` (report/sections.py), ``PER_DATASET``, and ``make(outcome, dataset)``, or
``make(outcome)`` where one table speaks of all data sets; it returns a Table, or None where there is nothing to tell.
``WRITTEN = False`` says that another job writes the files of that name, ``OPEN = True`` that a table of a data set is
seen without opening anything. Files are results/tables/{table}-{dataset}.csv, .md and .tex, or {table}.csv, …; each is
always written, since Snakemake is promised it before anything is known: of None it says so.
Importing such a module is cheap: the Snakefile asks for their names.
"""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import polars as pl

from linclass_study.report import sections, tables
from linclass_study.report.table import Table
from linclass_study.results import export
from linclass_study.results.outcome import Outcome

Made = dict[tuple[str, str], Table | None]  # (table, data set or "") → what is told of it

ROOM = 200_000  # cells of all tables, beyond which a page would be too large to open
FEW = 25  # rows that it then shows of a table that is not seen without opening something

NOTHING = pl.DataFrame({"nothing": ["there is nothing to tell here"]})


def modules() -> dict[str, ModuleType]:
    """Name of a table → its module, in the report's order."""
    return sections.modules(tables, "make")


def files(datasets: list[str]) -> list[str]:
    """The names, without ending, of all files in results/tables that are tables of the page."""
    written = {
        name: module for name, module in modules().items() if getattr(module, "WRITTEN", True)
    }
    return [
        file_name(name, dataset)
        for name, module in written.items()
        for dataset in (datasets if module.PER_DATASET else [""])
    ]


def file_name(table: str, dataset: str = "") -> str:
    return f"{table}-{dataset}" if dataset else table


def make(outcome: Outcome) -> Made:
    """Every table of a study. One of a data set is given an outcome of that data set's scores and fits alone."""
    found = modules()
    overall = {name: module for name, module in found.items() if not module.PER_DATASET}
    made: Made = {(name, ""): module.make(outcome) for name, module in overall.items()}
    for dataset, own in outcome.parts().items():
        for name, module in found.items():
            if module.PER_DATASET:
                made[name, dataset] = module.make(own, dataset)
    return in_room(made)


def in_room(made: Made) -> Made:
    """Of hundreds of methods on a hundred data sets, the page shows the first rows of what must be opened anyway."""
    tables = [table for table in made.values() if table is not None]
    if sum(len(table.rows) * len(table.columns) for table in tables) <= ROOM:
        return made
    closed = {n for n, m in modules().items() if m.PER_DATASET and not getattr(m, "OPEN", False)}
    return {
        key: replace(table, shown=FEW) if table is not None and key[0] in closed else table
        for key, table in made.items()
    }


def write(made: Made, outcome: Outcome) -> None:
    """As CSV, Markdown and LaTeX, into the study's folder of tables."""
    found = modules()
    for (name, dataset), table in made.items():
        if getattr(found[name], "WRITTEN", True):
            stem = outcome.results / "tables" / file_name(name, dataset)
            export.write(NOTHING if table is None else table.frame(), stem)
