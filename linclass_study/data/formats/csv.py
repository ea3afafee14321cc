"""Separated values: a header of column names, then one row per line.

Options, under `csv:`
    separator   one character, a comma by default; a space stands for any run of spaces and tabs
    skip        number of lines to skip at the top
    header      false if no line names the columns, which are then called x1, x2, …
    names       names of the columns, for a file without a header
    decimal     the decimal mark of numbers, a point by default, or a comma
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from linclass.base.messages import first_names
from linclass_study.data import text_to_columns
from linclass_study.data.content import Columns
from linclass_study.data.data_frames import named_columns
from linclass_study.data.labels import plain_number
from linclass_study.data.text_to_columns import (
    refuse_twice,
    text_columns,
    with_numbers,
    with_points,
)
from linclass_study.data.unavailable import Unavailable
from linclass_study.data.unpack import Text

LABELS = ("target", "group", "categorical")  # keys of an entry


def read(path: Path, options: Mapping[str, Any]) -> Columns:
    dialect = options.get("csv", {})
    text, names, above, rows = _begun(path, dialect)
    decimal, separator = dialect.get("decimal", "."), dialect.get("separator", ",")
    labels = named_columns(options, LABELS)
    frame = None
    if decimal == ".":
        frame = text_to_columns.plain_csv(path, names, above, separator, labels)
    if frame is None:  # unusual or invalid: the strict reader reports the line
        texts = text_columns(names, rows, lambda: text.line)
        frame = with_numbers(texts if decimal == "." else with_points(texts), labels)
    return Columns(frame)


def header_columns(path: Path, dialect: Mapping[str, Any]) -> list[str]:
    """Names of the columns, from the first lines."""
    return _begun(path, dialect)[1]


def _begun(
    path: Path, dialect: Mapping[str, Any]
) -> tuple[Text, list[str], int, Iterator[list[str]]]:
    """The text, the names of its columns, the number of lines above the rows, and the rows."""
    text = Text(path)
    lines = islice(text, dialect.get("skip", 0), None)
    separator = dialect.get("separator", ",")
    rows: Iterator[list[str]] = _cells(lines, separator, text)
    first = next((row for row in rows if any(map(str.strip, row))), None)
    if first is None:
        raise Unavailable("the file is empty")
    if "names" in dialect or not dialect.get("header", True):
        names = list(map(str, dialect.get("names") or (f"x{i + 1}" for i in range(len(first)))))
        above, rows = dialect.get("skip", 0), chain([first], rows)
    else:
        names, above = [name.strip() for name in first], text.line
        _refuse_one_name(names, separator)
        if "header" not in dialect:
            _refuse_numbers(names)
    refuse_twice(names)
    return text, names, above, rows


def _refuse_one_name(names: list[str], separator: str) -> None:
    """A header of one name was most likely written with another separator."""
    other = next((mark for mark in ";\t|, " if mark in names[0] and mark != separator), None)
    if len(names) == 1 and other:
        shown = "\\t" if other == "\t" else other
        raise Unavailable(
            f"'{names[0]}' is one column; perhaps give `csv: {{separator: \"{shown}\"}}`"
        )


def _refuse_numbers(names: list[str]) -> None:
    """A header of numbers is most likely the first row, unless it counts the columns, as pandas does."""
    numbers = [plain_number(name) for name in names]
    if None in numbers or numbers in ([*range(len(names))], [*range(1, len(names) + 1)]):
        return
    raise Unavailable(
        f"its first line has numbers in place of names ({first_names(names, 5)}): give `csv: {{header: false}}`, and "
        "columns are called x1, x2, …, or list `names:` there (if these are names: `header: true`)"
    )


def _cells(lines: Iterator[str], separator: str, text: Text) -> Iterator[list[str]]:
    if separator == " ":
        lines = (" ".join(line.split()) for line in lines)
    try:
        yield from csv.reader(
            lines, delimiter=separator, skipinitialspace=separator != " ", strict=True
        )
    except csv.Error as error:
        raise Unavailable(f"line {text.line}: {error}") from None
