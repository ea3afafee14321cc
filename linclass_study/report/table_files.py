"""The files of the tables in results/tables, and a table with chosen rows and columns (`linclass table`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.analysis.export import export_table, markdown
from linclass_study.analysis.outcome import Outcome
from linclass_study.errors import StudyError, suggest_name
from linclass_study.files.writing import atomic_write
from linclass_study.report.contents import TABLES, part_name
from linclass_study.report.latex import latex
from linclass_study.report.table import Made, ReportTable, make_table
from linclass_study.report.tables import across, answer

NOTHING = "there is nothing to show here"
IN_PRINT = {  # tables that differ in print, and those that the page has as figures only
    "compared": answer.all_methods_in_print,
    "ranks": across.ranks,
    "pairwise": across.pairwise,
}


def write_tables(made: Made, outcome: Outcome) -> None:
    """Write the tables as CSV, Markdown and LaTeX; those of ACROSS, which have the others already, as LaTeX alone."""
    folder = outcome.results / "tables"
    for (name, dataset), table in made.items():
        stem = folder / part_name(name, dataset)
        if TABLES[name].written:
            if table is None:
                export_table(pl.DataFrame({"nothing": [NOTHING]}), stem)
            else:
                export_table(table.frame(), stem, table.frame(marks=True), table.note)
        if name not in IN_PRINT:
            _write_latex(table, stem, outcome)
    for name, in_print in IN_PRINT.items():
        _write_latex(in_print(outcome), folder / name, outcome)


def _write_latex(table: ReportTable | None, stem: Path, outcome: Outcome) -> None:
    with atomic_write(stem.with_name(f"{stem.name}.tex")) as partial:
        text = f"% {NOTHING}\n" if table is None else latex(table, stem.name, outcome.labels)
        partial.write_text(text, encoding="utf-8")


def printed_table(
    outcome: Outcome, name: str, form: str, columns: Sequence[str], rows: Sequence[str]
) -> str:
    """A table of the page as CSV, Markdown or LaTeX, with chosen columns, after that with the names, and rows."""
    known: dict[str, tuple[str, str]] = {each: (each, "") for each in IN_PRINT}
    for each, part in TABLES.items():
        for dataset in outcome.datasets if part.per_dataset else [""]:
            known.setdefault(part_name(each, dataset), (each, dataset))
    kind, dataset = known[_known(name, known, "a table of this study")]
    in_print = IN_PRINT.get(kind)
    table = in_print(outcome) if in_print else make_table(outcome, kind, dataset)
    if table is None:
        raise StudyError(f"'{name}' is empty: {NOTHING}")
    table = chosen(table, name, columns, rows)
    if form == "tex":
        return latex(table, name, outcome.labels)
    return markdown(table.frame(marks=True)) if form == "md" else table.frame().write_csv()


def chosen(
    table: ReportTable, name: str, columns: Sequence[str], rows: Sequence[str]
) -> ReportTable:
    """The table with these columns in this order, after the first one, and these rows."""
    places = {column.key: place for place, column in enumerate(table.columns)}
    first = next(iter(places))
    wanted = [first, *(c for c in columns if c != first)] if columns else [*places]
    some = [places[_known(key, places, f"a column of {name}")] for key in wanted]
    by_name: dict[Any, list[Any]] = {}
    for row in table.rows:
        by_name.setdefault(row[0], []).append([row[place] for place in some])
    names = [_known(row, by_name, f"a row of {name}") for row in rows] or [*by_name]
    kept = [table.columns[place] for place in some]
    if columns:
        kept = [replace(column, folded=False) for column in kept]
    marked = any(column.mark_of(name) for column in kept for name in (column.key, *names))
    return replace(
        table,
        columns=kept,
        rows=[row for each in dict.fromkeys(names) for row in by_name[each]],
        note=table.note if marked else "",
    )


def _known(name: str, known: Iterable[str], what: str) -> str:
    if name not in known:
        raise StudyError(f"'{name}' is not {what}; {suggest_name(name, [*known])}")
    return name
