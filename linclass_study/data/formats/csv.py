"""Separated values: a header of column names, then one row per line.

docs/data.md describes the options under `csv:`. Without a header, columns are called x1, x2, …

Polars reads the file if it is certain to give the same cells as Python's csv module, which takes twenty times as long
but reports the line of each error: not if a cell contains a quote, or if lines have different lengths. It reads blocks
of lines, so that only numbers, and not their much larger text, are held for all rows.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from linclass.base.messages import counted, first_names
from linclass_study.data.content import Columns
from linclass_study.data.entry_keys import named_columns
from linclass_study.data.labels import are_codes
from linclass_study.errors import Unavailable
from linclass_study.files.cells import plain_number
from linclass_study.files.unpack import Text, binary

LABELS = ("target", "group", "categorical")  # keys of an entry
MISSING = ["", "?", "NA", "nan", "NaN", "NAN"]
BLANKS = re.compile(rb"[^\S\n]+")  # ASCII whitespace of str.split(), except the line's end
BLOCK = 20_000  # rows that are Python lists at a time; earlier ones are already packed
TEXT = 1 << 24  # bytes of lines that Polars reads at a time


def read(path: Path, options: Mapping[str, Any]) -> Columns:
    dialect = options.get("csv", {})
    text, names, above, rows = _begun(path, dialect)
    labels, comma = named_columns(options, LABELS), dialect.get("decimal", ".") == ","
    size = -1 if comma else TEXT  # whether commas are decimal marks depends on all rows

    def blocks() -> Iterator[pl.DataFrame]:
        for block in plain_blocks(path, names, above, dialect.get("separator", ","), size):
            yield _with_points(block) if comma else block

    try:
        return Columns(_joined(blocks, labels))
    except MayBeMisread:
        cells = text_columns(names, rows, lambda: text.line)
        cells = _with_points(cells) if comma else cells
        return Columns(_joined(lambda: [cells], labels))


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
    _refuse_twice(names)
    return text, names, above, rows


def _refuse_one_name(names: list[str], separator: str) -> None:
    """A header of one name was most likely written with another separator."""
    other = next((mark for mark in ";\t|, " if mark in names[0] and mark != separator), None)
    if len(names) == 1 and other:
        key = 'separator: "{}"'.format("\\t" if other == "\t" else other)
        key = "skip: 1" if other == " " and names[0].startswith("#") else key  # a comment
        raise Unavailable(f"the only column is '{names[0]}'; perhaps set `csv: {{{key}}}`")


def _refuse_numbers(names: list[str]) -> None:
    """A header of numbers is most likely the first row, unless it counts the columns, as pandas does."""
    numbers = [plain_number(name) for name in names]
    if None in numbers or numbers in ([*range(len(names))], [*range(1, len(names) + 1)]):
        return
    raise Unavailable(
        f"its first line has numbers in place of names ({first_names(names, 5)}): give `csv: {{header: false}}`, and "
        "columns are called x1, x2, …, or list `names:` there (if these are names: `header: true`)"
    )


def _refuse_twice(names: list[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise Unavailable(f"two columns are called '{twice[0]}'; column names must differ")


def _cells(lines: Iterator[str], separator: str, text: Text) -> Iterator[list[str]]:
    if separator == " ":
        lines = (" ".join(line.split()) for line in lines)
    skip = separator != " "
    try:
        yield from csv.reader(lines, delimiter=separator, skipinitialspace=skip, strict=True)
    except csv.Error as error:
        remedy = 'close or double each quote (") up to this line'
        if "new-line" in str(error):
            remedy = "end lines with LF or CRLF, not with CR alone"
        raise Unavailable(f"line {text.line}: {error}; {remedy}") from None


def text_columns(
    names: list[str], rows: Iterable[list[str]], line: Callable[[], int]
) -> pl.DataFrame:
    """String columns from rows of cells, stripped, with missing cells null.

    `line` returns the number of the last line read, for the error about a row of another length.
    """
    _refuse_twice(names)
    rows = _full_rows(rows, len(names), line)
    schema = dict.fromkeys(names, pl.String)
    blocks = []
    while block := list(islice(rows, BLOCK)):
        blocks.append(pl.DataFrame(dict(zip(names, zip(*block, strict=True), strict=True)), schema))
    if not blocks:
        raise Unavailable("it contains no rows")
    return _clean(pl.concat(blocks))


def _full_rows(
    rows: Iterable[list[str]], width: int, line: Callable[[], int]
) -> Iterable[list[str]]:
    for row in rows:
        if len(row) == width:
            yield row
        elif row and not (len(row) == 1 and not row[0].strip()):  # blank lines are skipped
            raise Unavailable(
                f"line {line()} has {counted(len(row), 'field')} where {width} are expected (correct it, or quote "
                "cells that contain the separator)"
            )


class MayBeMisread(Exception):
    """Polars may give other cells than Python's csv module."""


def plain_blocks(
    path: Path, names: list[str], skip: int, separator: str, size: int
) -> Iterator[pl.DataFrame]:
    """The cells below the first `skip` lines as Polars reads them, lines of about `size` bytes at a time."""
    with binary(path) as file:
        for lines in _whole_lines(file, size, skip + 1):
            cells = plain_cells(lines, names, skip, separator)
            if cells is None:
                raise MayBeMisread
            yield _clean(cells)
            skip = 0


def _whole_lines(file: IO[bytes], size: int, first: int) -> Iterator[bytes]:
    """Blocks of lines, at least `first` ones in the first block, without the blank lines at the end of the file."""
    rest, block = b"", file.read(size)
    while following := file.read(size):
        rest, block = rest + block, following
        end = rest.rfind(b"\n", 0, len(rest.rstrip(b"\r\n"))) + 1
        if rest.count(b"\n", 0, end) >= first:
            yield rest[:end]
            rest, first = rest[end:], 1
    yield (rest + block).rstrip(b"\r\n") + b"\n"


def plain_cells(content: bytes, names: list[str], skip: int, separator: str) -> pl.DataFrame | None:
    """The cells below the first `skip` lines; None if Polars might misread some."""
    if separator == " ":
        if not content.isascii():
            return None
        content = re.sub(rb"(?m)^ | $", b"", BLANKS.sub(b" ", content))
    options: dict[str, Any] = {"separator": separator, "skip_lines": skip, "has_header": False}
    try:
        frame = pl.read_csv(content, schema=dict.fromkeys(names, pl.String), **options)
    except pl.exceptions.PolarsError:
        return None
    if frame.is_empty() or any(c.str.contains('"', literal=True).any() for c in frame):
        return None
    if frame.to_series(-1).null_count():  # empty cells, or a line that is too short
        cells = np.frombuffer(content, np.uint8)
        begin = int(np.flatnonzero(cells == ord("\n"))[skip - 1]) + 1 if skip else 0
        separators = np.count_nonzero(cells[begin:] == ord(separator))
        whole = separators == frame.height * (frame.width - 1)
        if frame.width == 1 or b'"' in content[begin:] or not whole:
            return None
    return frame


def _clean(text: pl.DataFrame) -> pl.DataFrame:
    """Strip whitespace around cells; replace missing cells by null."""
    cells = text.select(pl.all().str.strip_chars())
    return cells.select(pl.when(pl.all().is_in(MISSING)).then(None).otherwise(pl.all()).name.keep())


def _with_points(frame: pl.DataFrame) -> pl.DataFrame:
    """Replace the decimal comma of numbers; columns of which some cell has another form stay as they are."""
    commas = r"^[-+]?(\d+(,\d*)?|,\d+)([eE][-+]?\d+)?$"
    return frame.with_columns(
        column.str.replace(",", ".", literal=True)
        for column in frame
        if column.str.contains(commas).all()
    )


def _joined(blocks: Callable[[], Iterable[pl.DataFrame]], labels: Collection[str]) -> pl.DataFrame:
    """One frame of blocks of text, with columns of numbers as Float64; `labels` that are codes stay text.

    All blocks are read again with a column as text, once a cell of it is neither a number nor missing.
    """
    texts = {*labels}
    while True:
        parts: list[pl.DataFrame] = []
        for block in blocks():
            parts.append(_with_numbers(block, {*block.columns} - texts))
            if strays := {*parts[-1].select(pl.col(pl.String)).columns} - texts:
                texts |= strays
                break
        else:
            frame = pl.concat(parts)
            kept = [name for name in frame.columns if name in labels]
            return _with_numbers(frame, {name for name in kept if not are_codes(frame[name])})


def _with_numbers(frame: pl.DataFrame, names: Collection[str]) -> pl.DataFrame:
    """Convert these text columns to Float64, if every cell that is not missing is a number."""
    numbers = frame.select(pl.col(*names).cast(pl.Float64, strict=False)) if names else frame
    return frame.with_columns(
        numbers[name].fill_nan(None)
        for name in names
        if numbers[name].null_count() == frame[name].null_count()
    )
