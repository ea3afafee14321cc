"""A table of the report: typed columns and plain rows. The page draws it and files take it, whatever it is of.

A cell is a plain value of its column's kind (KINDS), None where there is none, or a `Number` where the value has a
spread, an interval or a rank in its column. In a file a column `accuracy` of such numbers becomes `accuracy`,
`accuracy_sd`, `accuracy_low` and `accuracy_high`, as far as any of its cells has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

#: How the cells of a column look and sort, and their type in a file.
KINDS: dict[str, Any] = {
    "text": pl.String,
    "reason": pl.String,  # folded where it is long
    "status": pl.String,  # converged, failed, …
    "method": pl.String,  # with its colour and mark; or a list of methods
    "dataset": pl.String,  # a link to its section; or a list of data sets
    "number": pl.Float64,  # three decimals
    "p": pl.Float64,  # a p-value or another probability
    "power": pl.Float64,  # of which the order of magnitude matters: 3e−9
    "seconds": pl.Float64,  # in the unit that fits
    "count": pl.Int64,
    "yes": pl.Boolean,
}
NAMES = ("method", "dataset")  # kinds that a reader filters by
NUMBERS = ("number", "p", "power", "seconds", "count")
AND = "; "  # between the names of a list in a file


@dataclass(frozen=True)
class Column:
    """`key` is its name in files, `title` that on the page, `about` what the title's tooltip says; of a list of names
    the page shows so many before it counts the others."""

    key: str
    title: str
    kind: str = "text"
    about: str = ""
    names: int = 6

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"column {self.key}: kind '{self.kind}' is none of {', '.join(KINDS)}")


@dataclass(frozen=True)
class Number:
    """A value with its standard deviation, or with an interval. `best` of its column, or `near`: not told apart
    from it; `partial`: of some folds only, so that it cannot be compared."""

    value: float | None
    sd: float | None = None
    interval: tuple[float, float] | None = None
    best: bool = False
    near: bool = False
    partial: bool = False


@dataclass(frozen=True)
class Table:
    """What the page shows under `title`, above `caption`.

    faint     rows to be shown in grey: of methods of which some fit did not succeed
    shown     how many rows the page shows, and says so; all if None. Files have all
    choices   rows by the name of a reader's choice, of a name and Numbers; the first choice is `rows`
    """

    title: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    faint: frozenset[int] = frozenset()
    shown: int | None = None
    choices: Mapping[str, Sequence[Sequence[Any]]] = field(default_factory=dict)

    def frame(self) -> pl.DataFrame:
        """As it is written to files: every value in full, plain."""
        columns: dict[str, pl.Series] = {}
        for place, column in enumerate(self.columns):
            cells = [row[place] for row in self.rows]
            for ending, values in _plain(cells).items():
                name = column.key + ending
                columns[name] = pl.Series(name, values, dtype=KINDS[column.kind], strict=False)
        return pl.DataFrame(columns)


def _plain(cells: Sequence[Any]) -> dict[str, list[Any]]:
    """Ending of the column's name → its values."""
    numbers = [cell if isinstance(cell, Number) else Number(None) for cell in cells]
    parts = {"": [_value(cell) for cell in cells]}
    if any(number.sd is not None for number in numbers):
        parts["_sd"] = [number.sd for number in numbers]
    if any(number.interval is not None for number in numbers):
        parts["_low"] = [number.interval[0] if number.interval else None for number in numbers]
        parts["_high"] = [number.interval[1] if number.interval else None for number in numbers]
    return parts


def _value(cell: Any) -> Any:
    if isinstance(cell, Number):
        return cell.value
    return AND.join(map(str, cell)) if isinstance(cell, list | tuple) else cell
