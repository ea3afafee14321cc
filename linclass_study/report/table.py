"""The tables of the report: typed columns and plain rows, for the page and for files; and the format of numbers.

A cell is a plain value of its column's kind (KINDS), None if missing, or a `Number` if the value has a spread, an
interval or a mark. In files, a column `accuracy` of such numbers becomes `accuracy`, `accuracy_sd`, `accuracy_low` and
`accuracy_high`, as far as its cells have them. Files are always written, with a notice if a table has nothing to show:
if one is missing, the page is made again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from linclass_study.analysis.export import ACROSS, FORMS
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned_values import MARK, grid_end_note, grid_ends
from linclass_study.files.tables import AND
from linclass_study.report.contents import TABLES, part_name

#: Kinds of columns, which determine display and sorting → type in files.
KINDS: dict[str, Any] = {
    "text": pl.String,
    "reason": pl.String,  # folded where it is long
    "status": pl.String,  # converged, failed, …
    "digest": pl.String,  # its beginning; the page keeps the whole
    "method": pl.String,  # with its colour and mark; or a list of methods
    "dataset": pl.String,  # a link to its section; or a list of data sets
    "number": pl.Float64,  # three decimals
    "p": pl.Float64,  # a p-value or another probability
    "power": pl.Float64,  # one digit and exponent: 3e−9
    "seconds": pl.Float64,  # in a suitable unit
    "ratio": pl.Float64,  # two significant digits
    "count": pl.Int64,
    "yes": pl.Boolean,
}


@dataclass(frozen=True)
class Column:
    """A column: `key` is its name in files, `title` on the page, and `about` the tooltip. The page shows `names` names
    of a list and counts the others. `marked` are methods whose names have a mark (analysis/tuned_values.py). A `folded`
    column is not on the page and in LaTeX until a reader chooses it; without scripts it is on the page."""

    key: str
    title: str
    kind: str = "text"
    about: str = ""
    names: int = 6
    marked: frozenset[str] = frozenset()
    folded: bool = False

    def mark_of(self, name: str) -> str:
        return MARK if name in self.marked else ""


@dataclass(frozen=True)
class Number:
    """A value with its standard deviation or an interval.

    best      it is the best of its column, which is underlined
    clear     it is significantly better than the others, or differs significantly, after correction: bold
    partial   it is a mean over some folds only, so it cannot be compared
    mark      + or − in exports: significantly better or worse than what the caption names
    """

    value: float | None
    sd: float | None = None
    interval: tuple[float, float] | None = None
    best: bool = False
    clear: bool = False
    partial: bool = False
    mark: str = ""


@dataclass(frozen=True)
class ReportTable:
    """A table with its `title` and `caption`.

    faint     rows in grey: methods with failed fits
    shown     number of rows on the page, all if None; files have all rows
    note      a sentence that explains the marks of names
    """

    title: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    faint: frozenset[int] = frozenset()
    shown: int | None = None
    note: str = ""

    def frame(self, marks: bool = False) -> pl.DataFrame:
        """The table for files, with full precision; names have their `marks` for people, not for programs."""
        columns: dict[str, pl.Series] = {}
        for place, column in enumerate(self.columns):
            cells = [row[place] for row in self.rows]
            if marks and column.marked:
                cells = [_with_marks(column, cell) for cell in cells]
            for ending, values in _plain(cells).items():
                name = column.key + ending
                columns[name] = pl.Series(name, values, dtype=KINDS[column.kind], strict=False)
        return pl.DataFrame(columns)


def _with_marks(column: Column, cell: Any) -> Any:
    if isinstance(cell, str):
        return cell + column.mark_of(cell)
    return cell and [name + column.mark_of(name) for name in cell]


def _plain(cells: Sequence[Any]) -> dict[str, list[Any]]:
    """Suffix of the column's name → values."""
    numbers = [cell if isinstance(cell, Number) else Number(None) for cell in cells]
    ends = [number.interval or (None, None) for number in numbers]
    parts = {"_sd": [number.sd for number in numbers]}
    parts |= {"_low": [low for low, _ in ends], "_high": [high for _, high in ends]}
    known = {name: own for name, own in parts.items() if any(value is not None for value in own)}
    return {"": [_value(cell) for cell in cells]} | known


def _value(cell: Any) -> Any:
    if isinstance(cell, Number):
        return cell.value
    return AND.join(map(str, cell)) if isinstance(cell, list | tuple) else cell


Made = dict[tuple[str, str], ReportTable | None]  # (table, data set or "") → its content

ROOM = 200_000  # cells of all tables, beyond which rows of tables of data sets are omitted
FEWER_ROWS = 10  # rows of such a table that the page then shows: 200 data sets × 100 methods take less than 20 MB


def table_files(datasets: Iterable[str]) -> list[str]:
    """Names of the files in results/tables that the report job writes."""
    names = [
        part_name(name, dataset)
        for name, part in TABLES.items()
        if part.written
        for dataset in (datasets if part.per_dataset else [""])
    ]
    return [f"{name}.{form}" for name in names for form in FORMS] + [f"{n}.tex" for n in ACROSS]


def make_tables(outcome: Outcome) -> Made:
    """Make every table of a study; scores of an unavailable data set have none."""
    made: Made = {
        (name, ""): make_table(outcome, name)
        for name, part in TABLES.items()
        if not part.per_dataset
    }
    for dataset, own in outcome.parts().items():
        unavailable = own.about(dataset)["status"] == "unavailable"
        for name, part in TABLES.items():
            if part.per_dataset:
                skipped = unavailable and part.section == "dataset"
                made[name, dataset] = None if skipped else make_table(outcome, name, dataset)
        own.read.pop("held_out", None)  # predictions of every data set would fill the memory
    return in_room(made)


def make_table(outcome: Outcome, name: str, dataset: str = "") -> ReportTable | None:
    """A table over all data sets, or of one, with the Outcome of that one; None if it has no rows."""
    part, own = TABLES[name], outcome.parts()[dataset] if dataset else outcome
    table: ReportTable | None = part(own, dataset) if dataset else part(own)
    if table is None or not table.rows:
        return None
    return table if part.section == "trust" else with_marks(own, table)


def with_marks(outcome: Outcome, table: ReportTable) -> ReportTable:
    """Mark the methods that chose an end of their grids in a table that compares methods."""
    ends = frozenset(grid_ends(outcome))
    methods = {i for i, column in enumerate(table.columns) if column.kind == "method"}
    cells = [row[i] for row in table.rows for i in sorted(methods) if row[i]]
    names = [name for cell in cells for name in ([cell] if isinstance(cell, str) else cell)]
    columns = [
        replace(column, marked=ends) if i in methods else column
        for i, column in enumerate(table.columns)
    ]
    return replace(table, columns=columns, note=grid_end_note(outcome, names))


def in_room(made: Made) -> Made:
    """Shorten the tables of data sets if all tables together have more than ROOM cells; scripts show all rows."""
    tables = [table for table in made.values() if table is not None]
    if sum(len(table.rows) * len(table.columns) for table in tables) <= ROOM:
        return made
    each = {name for name, part in TABLES.items() if part.per_dataset}
    return {
        key: replace(table, shown=FEWER_ROWS) if table is not None and key[0] in each else table
        for key, table in made.items()
    }


def format_number(x: float | None) -> str:
    """A metric: three decimals, fewer for large numbers."""
    if x is None:
        return "–"
    if not math.isfinite(x):
        return "∞" if x > 0 else "−∞"
    text = f"{x:z.3f}" if abs(x) < 1000 else f"{x:,.0f}" if abs(x) < 1e6 else f"{x:.3g}"
    return text.replace("-", "−")


def format_seconds(x: float | None) -> str:
    """A duration with two significant digits, in a suitable unit."""
    if x is None:
        return "–"
    x = float(f"{x:.2g}")  # before the unit is chosen: 0.9999 s is 1 s, not 1000 ms
    units = ((1e-3, "µs", 1e6), (1, "ms", 1e3), (120, "s", 1), (7200, "min", 1 / 60))
    for limit, unit, scale in units:
        if x < limit:
            scaled = x * scale
            return f"{scaled:.2g} {unit}" if scaled < 10 else f"{scaled:.0f} {unit}"
    return f"{x / 3600:.1f} h"


def format_ratio(x: float | None) -> str:
    """A ratio of two durations, with two significant digits."""
    if x is None:
        return "–"
    x = float(f"{x:.2g}")
    return f"{x:.2g}" if 1e-4 <= x < 10 else f"{x:,.0f}" if x >= 10 else format_power(x)


def format_power(x: float | None) -> str:
    """A certificate with one digit, as only its order of magnitude matters: 3e−9."""
    if x is None:
        return "–"
    if x == 0:
        return "0"
    mantissa, exponent = f"{x:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


def format_tuned(chosen: str) -> str:
    """The value of a tuned parameter, given as JSON, with four significant digits."""
    known = json.loads(chosen)
    return f"{known:.4g}" if isinstance(known, float) else str(known)
