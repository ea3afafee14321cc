"""The tables of the page, found by name: each file in linclass_study/report/tables is one table.

Such a module has ``SECTION`` (report/sections.py), ``PLACE``, ``PER_DATASET``, and ``make(outcome, dataset)``, or
``make(outcome)`` for a table of all data sets; it returns a ReportTable, or None if there is nothing to show.
``WRITTEN = False`` means that another job writes the files of that name, ``OPEN = True`` that a table of a data set is
not folded. Files are results/tables/{table}-{dataset}.csv, .md and .tex, or {table}.csv, …; they are always written,
with a notice instead of None: if one is missing, the page is made again. Importing a module must be cheap, as the
Snakefile imports all of them.
"""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import polars as pl

from linclass_study.analysis.export import export_table
from linclass_study.analysis.grid_ends import grid_end_note, grid_ends
from linclass_study.analysis.outcome import Outcome
from linclass_study.report import tables
from linclass_study.report.sections import modules_with, section_name
from linclass_study.report.table import ReportTable

Made = dict[tuple[str, str], ReportTable | None]  # (table, data set or "") → its content

ROOM = 200_000  # cells of all tables, beyond which rows of folded tables are omitted
FEW = 25  # rows of a folded table that the page then shows

NOTHING = pl.DataFrame({"nothing": ["there is nothing to show here"]})


def table_modules() -> dict[str, ModuleType]:
    """Name → module of each table, in the order of the report."""
    return modules_with(tables, "make")


def table_files(datasets: list[str]) -> list[str]:
    """Names, without ending, of the files of the page's tables in results/tables."""
    written = {
        name: module for name, module in table_modules().items() if getattr(module, "WRITTEN", True)
    }
    return [
        table_file_name(name, dataset)
        for name, module in written.items()
        for dataset in (datasets if module.PER_DATASET else [""])
    ]


def table_file_name(table: str, dataset: str = "") -> str:
    return f"{table}-{dataset}" if dataset else table


def make_tables(outcome: Outcome) -> Made:
    """Make every table of a study; a table of a data set gets an Outcome restricted to that data set."""
    found = table_modules()
    overall = {name: module for name, module in found.items() if not module.PER_DATASET}
    made: Made = {
        (name, ""): with_marks(outcome, module, module.make(outcome))
        for name, module in overall.items()
    }
    for dataset, own in outcome.parts().items():
        for name, module in found.items():
            if module.PER_DATASET:
                made[name, dataset] = with_marks(own, module, module.make(own, dataset))
        own.read.pop("held_out", None)  # predictions of every data set would fill the memory
    return in_room(made)


def with_marks(
    outcome: Outcome, module: ModuleType, table: ReportTable | None
) -> ReportTable | None:
    """Mark the methods that chose an end of their grids in a table that compares methods."""
    if table is None or section_name(module) == "trust" or not grid_ends(outcome):
        return table
    places = [i for i, column in enumerate(table.columns) if column.kind == "method"]
    cells = [row[i] for row in table.rows for i in places if row[i]]
    names = [name for cell in cells for name in ([cell] if isinstance(cell, str) else cell)]
    ends = frozenset(grid_ends(outcome))
    columns = [
        replace(column, marked=ends) if i in places else column
        for i, column in enumerate(table.columns)
    ]
    return replace(table, columns=columns, note=grid_end_note(outcome, names))


def in_room(made: Made) -> Made:
    """Shorten the folded tables if all tables together have more than ROOM cells."""
    tables = [table for table in made.values() if table is not None]
    if sum(len(table.rows) * len(table.columns) for table in tables) <= ROOM:
        return made
    closed = {
        n for n, m in table_modules().items() if m.PER_DATASET and not getattr(m, "OPEN", False)
    }
    return {
        key: replace(table, shown=FEW) if table is not None and key[0] in closed else table
        for key, table in made.items()
    }


def write_tables(made: Made, outcome: Outcome) -> None:
    """Write the tables as CSV, Markdown and LaTeX."""
    found = table_modules()
    for (name, dataset), table in made.items():
        if getattr(found[name], "WRITTEN", True):
            stem = outcome.results / "tables" / table_file_name(name, dataset)
            if table is None:
                export_table(NOTHING, stem)
            else:
                export_table(table.frame(), stem, table.frame(marks=True), table.note)
