"""The tables of the page (report/contents.py), and their files.

Files are always written, with a notice if a table has nothing to show: if one is missing, the page is made again.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from linclass_study.analysis.export import export_table
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned import grid_end_note, grid_ends
from linclass_study.report.contents import TABLES, Part
from linclass_study.report.table import ReportTable

Made = dict[tuple[str, str], ReportTable | None]  # (table, data set or "") → its content

ROOM = 200_000  # cells of all tables, beyond which rows of folded tables are omitted
FEW = 25  # rows of a folded table that the page then shows

NOTHING = pl.DataFrame({"nothing": ["there is nothing to show here"]})


def table_files(datasets: list[str]) -> list[str]:
    """Names, without ending, of the files of the page's tables in results/tables."""
    return [
        table_file_name(name, dataset)
        for name, part in TABLES.items()
        if part.written
        for dataset in (datasets if part.per_dataset else [""])
    ]


def table_file_name(table: str, dataset: str = "") -> str:
    return f"{table}-{dataset}" if dataset else table


def make_tables(outcome: Outcome) -> Made:
    """Make every table of a study, None if it has no rows.

    A table of a data set gets an Outcome restricted to that data set; scores of an unavailable one have none.
    """
    made: Made = {
        (name, ""): with_marks(outcome, part, part(outcome))
        for name, part in TABLES.items()
        if not part.per_dataset
    }
    for dataset, own in outcome.parts().items():
        unavailable = own.about(dataset)["status"] == "unavailable"
        for name, part in TABLES.items():
            if part.per_dataset:
                skipped = unavailable and part.section == "dataset"
                table = None if skipped else part(own, dataset)
                made[name, dataset] = with_marks(own, part, table)
        own.read.pop("held_out", None)  # predictions of every data set would fill the memory
    return in_room(made)


def with_marks(outcome: Outcome, part: Part, table: ReportTable | None) -> ReportTable | None:
    """Mark the methods that chose an end of their grids in a table that compares methods."""
    if table is None or not table.rows:
        return None
    if part.section == "trust" or not grid_ends(outcome):
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
    closed = {name for name, part in TABLES.items() if part.per_dataset and not part.open}
    return {
        key: replace(table, shown=FEW) if table is not None and key[0] in closed else table
        for key, table in made.items()
    }


def write_tables(made: Made, outcome: Outcome) -> None:
    """Write the tables as CSV, Markdown and LaTeX."""
    for (name, dataset), table in made.items():
        if TABLES[name].written:
            stem = outcome.results / "tables" / table_file_name(name, dataset)
            if table is None:
                export_table(NOTHING, stem)
            else:
                export_table(table.frame(), stem, table.frame(marks=True), table.note)
