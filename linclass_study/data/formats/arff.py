"""ARFF, Weka's attribute-relation file format: declarations of columns, then rows of cells.

Cells may be quoted by either quote and escaped by a backslash; ? is a missing value; % starts a comment.
                             Witten, Frank, Hall & Pal (2016), Data Mining, 4th edition, §2.4
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.data.content import Columns
from linclass_study.data.formats.csv import text_columns
from linclass_study.errors import Unavailable
from linclass_study.files.unpack import Text

# Possessive quantifiers (*+) never backtrack, so a line takes linear time.
QUOTED = r"'(?:[^'\\]|\\.)*+'|" + r'"(?:[^"\\]|\\.)*+"'
CELL = re.compile(rf"\s*+({QUOTED}|[^,'\"]*+)\s*+(,|$)")
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
NUMERIC = {"numeric", "real", "integer"}


def read(path: Path, options: Mapping[str, Any]) -> Columns:
    text = Text(path)
    lines = _lines(text)
    declared = _declarations(lines, text)
    frame = text_columns(list(declared), (_cells(line, text) for line in lines), lambda: text.line)
    columns = []
    for name, values in declared.items():
        column = frame[name]
        if values is None:
            column = column.cast(pl.Float64, strict=False)
            wrong = frame[name].filter(column.is_null() & frame[name].is_not_null())
        else:
            wrong = column.filter(~column.is_in(list(values))) if values else column.clear()
        if len(wrong):
            what = "is not a number" if values is None else "is not one of the declared values"
            raise Unavailable(f"column '{name}': '{wrong[0]}' {what}")
        columns.append(column)
    return Columns(pl.DataFrame(columns))


def header_columns(path: Path, dialect: Mapping[str, Any]) -> list[str]:
    """Names of the columns, from the declarations."""
    text = Text(path)
    return list(_declarations(_lines(text), text))


def _lines(text: Text) -> Iterator[str]:
    """Lines of a file without blank lines and comments."""
    lines = (line.strip() for line in text)
    return (line for line in lines if line and not line.startswith("%"))


def _declarations(lines: Iterator[str], text: Text) -> dict[str, set[str] | None]:
    """Column → its declared values; an empty set for free text, None for numbers."""
    declared: dict[str, set[str] | None] = {}
    for line in lines:
        word = line.split(None, 1)[0].lower()
        if word == "@data":
            if not declared:
                raise Unavailable("no @attribute stands before @data")
            return declared
        match = ATTRIBUTE.fullmatch(line)
        if word == "@attribute" and match:
            name, kind = _unquoted(match[1]), match[2].strip()
            if name in declared:
                raise Unavailable(f"line {text.line}: a second column is called '{name}'")
            declared[name] = _values(kind, text)
        elif word != "@relation":
            raise Unavailable(f"line {text.line}: '{line[:40]}' is not an ARFF declaration")
    raise Unavailable("the file has no @data")


def _values(kind: str, text: Text) -> set[str] | None:
    if kind.startswith("{") and kind.endswith("}"):
        return {cell.strip() for cell in _cells(kind[1:-1], text)}
    word = kind.split()[0].lower()
    if word in NUMERIC:  # perhaps with a range, as in integer [0,9]
        return None
    if word in ("string", "date"):
        return set()
    raise Unavailable(f"line {text.line}: columns of type '{kind}' cannot be read")


def _cells(line: str, text: Text) -> list[str]:
    if line.startswith("{"):
        raise Unavailable(f"line {text.line}: sparse rows of ARFF cannot be read; use libsvm")
    if "'" not in line and '"' not in line:
        return line.split(",")
    cells, place, more = [], 0, True
    while more:
        match = CELL.match(line, place)
        if match is None:
            raise Unavailable(f"line {text.line}: a quote is not closed, or text stands beside it")
        cells.append(_unquoted(match[1]))
        place, more = match.end(), match[2] == ","
    return cells


def _unquoted(cell: str) -> str:
    return re.sub(r"\\(.)", r"\1", cell[1:-1]) if cell[:1] in ("'", '"') else cell.strip()
