"""Text cells → typed columns: whitespace stripped, missing cells null, numeric columns as Float64."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable
from itertools import islice

import polars as pl

from linclass.base.messages import counted
from linclass_study.data.labels import are_codes
from linclass_study.data.unavailable import Unavailable

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
