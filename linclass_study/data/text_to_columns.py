"""Text cells → typed columns: whitespace stripped, missing cells null, numeric columns as Float64."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass.base.messages import counted
from linclass_study.data.labels import are_codes
from linclass_study.data.unavailable import Unavailable
from linclass_study.data.unpack import OPENERS, binary

MISSING = ["", "?", "NA", "nan", "NaN", "NAN"]
BLOCK = 20_000  # rows that are Python lists at a time; earlier ones are already packed


def text_columns(
    names: list[str], rows: Iterable[list[str]], line: Callable[[], int]
) -> pl.DataFrame:
    """String columns from rows of cells, stripped, with missing cells null.

    `line` returns the number of the last line read, for the error about a row of another length.
    """
    refuse_twice(names)
    rows = _full_rows(rows, len(names), line)
    schema = dict.fromkeys(names, pl.String)
    blocks = []
    while block := list(islice(rows, BLOCK)):
        blocks.append(pl.DataFrame(dict(zip(names, zip(*block, strict=True), strict=True)), schema))
    if not blocks:
        raise Unavailable("it contains no rows")
    return clean(pl.concat(blocks))


def refuse_twice(names: list[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise Unavailable(f"two columns are called '{twice[0]}'; column names must differ")


def clean(text: pl.DataFrame) -> pl.DataFrame:
    """Strip whitespace around cells; replace missing cells by null."""
    cells = text.select(pl.all().str.strip_chars())
    return cells.select(pl.when(pl.all().is_in(MISSING)).then(None).otherwise(pl.all()).name.keep())


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


def with_points(frame: pl.DataFrame) -> pl.DataFrame:
    """Replace the decimal comma of numbers; columns of which some cell has another form stay as they are."""
    commas = r"^[-+]?(\d+(,\d*)?|,\d+)([eE][-+]?\d+)?$"
    return frame.with_columns(
        column.str.replace(",", ".", literal=True)
        for column in frame
        if column.str.contains(commas).all()
    )


def with_numbers(frame: pl.DataFrame, labels: Container[str] = ()) -> pl.DataFrame:
    """Convert text columns to Float64 if every cell that is not missing is a number; `labels` that are codes stay."""
    numbers = frame.select(pl.all().cast(pl.Float64, strict=False))
    return frame.with_columns(
        numbers[name].fill_nan(None)
        for name in frame.columns
        if numbers[name].null_count() == frame[name].null_count()
        and not (name in labels and are_codes(frame[name]))
    )


# Separated values read by Polars: the same columns as the strict reader's, or None where that is uncertain.
#
# The strict reader (formats/csv.py) takes half a minute for a million rows and reports the line of each error; Polars
# takes a second or two. So Polars comes first. Files that it refuses or might read differently (a quote inside a cell,
# lines of different lengths) are left to the strict reader.

SAMPLE = 1000  # rows that show which columns are numeric
BLANKS = re.compile(rb"[^\S\n]+")  # ASCII whitespace of str.split(), except the line's end


def plain_csv(
    path: Path, names: list[str], skip: int, separator: str, labels: Container[str] = ()
) -> pl.DataFrame | None:
    """Columns below the first `skip` lines: numbers as Float64, text as String, missing cells null.

    `labels` are columns of which codes, such as 007, stay text.
    """
    source = _source(path, separator)
    if source is None:
        return None
    text = dict.fromkeys(names, pl.String)
    frame = _parsed(source, text, skip, separator, n_rows=SAMPLE)
    if frame is not None and frame.height == SAMPLE:  # there may be more
        numeric = (name for name in _numbers(frame) if name not in labels)
        typed = text | dict.fromkeys(numeric, pl.Float64)
        parsed = (_parsed(source, schema, skip, separator) for schema in (typed, text))
        frame = next((frame for frame in parsed if frame is not None), None)
    if frame is None or frame.is_empty() or not _is_certain(frame, source, skip, separator):
        return None
    texts = with_numbers(clean(frame.select(pl.col(pl.String))), labels)
    numbers = frame.select(pl.col(pl.Float64))
    nans = (column.fill_nan(None) for column in numbers if column.is_nan().any())
    return frame.with_columns(*nans, *texts)


def _source(path: Path, separator: str) -> Path | bytes | None:
    """The file itself, which Polars maps into memory, or its content if it must be modified first."""
    if separator != " " and _is_plain(path):
        return path
    with binary(path) as file:
        content = file.read().rstrip(b"\r\n") + b"\n"  # blank lines at the end are not rows
    if separator != " ":
        return content
    return re.sub(rb"(?m)^ | $", b"", BLANKS.sub(b" ", content)) if content.isascii() else None


def _is_plain(path: Path) -> bool:
    """Whether the file is uncompressed and has no blank lines at its end."""
    with open(path, "rb") as file:
        head = file.read(6)
        file.seek(-min(8, path.stat().st_size), os.SEEK_END)
        tail = file.read().replace(b"\r", b"")
    return not head.startswith(tuple(OPENERS)) and not tail.endswith(b"\n\n")


def _numbers(sample: pl.DataFrame) -> list[str]:
    """Columns that are numeric in the first rows."""
    found = with_numbers(clean(sample))
    return [c.name for c in found if c.dtype == pl.Float64 and c.null_count() < len(c)]


def _parsed(
    source: Path | bytes, schema: dict[str, Any], skip: int, separator: str, **options: Any
) -> pl.DataFrame | None:
    try:
        return pl.read_csv(
            source,
            schema=schema,
            separator=separator,
            skip_lines=skip,
            has_header=False,
            null_values=MISSING,
            **options,
        )
    except pl.exceptions.PolarsError:
        return None


def _is_certain(frame: pl.DataFrame, source: Path | bytes, skip: int, separator: str) -> bool:
    """Whether no cell contains a quote and no line was too short (Polars would pad it with nulls)."""
    texts = frame.select(pl.col(pl.String))
    if any(column.str.contains('"', literal=True).any() for column in texts):
        return False
    if not frame.to_series(-1).null_count():
        return True
    if frame.width == 1:
        return False  # a blank line is a missing cell
    content = np.fromfile(source, np.uint8) if isinstance(source, Path) else source
    cells = np.frombuffer(content, np.uint8)
    begin = int(np.flatnonzero(cells == ord("\n"))[skip - 1]) + 1 if skip else 0
    body = cells[begin:]
    expected = frame.height * (frame.width - 1)
    return np.count_nonzero(body == ord(separator)) == expected and not (body == ord('"')).any()
