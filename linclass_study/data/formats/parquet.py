"""Parquet: typed columns. Booleans become 0 and 1; text becomes categories; dates may be labels.

An index without a name, which pandas writes as a column, is left out unless the entry names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.data.content import Columns
from linclass_study.data.entry_keys import unnamed_index
from linclass_study.errors import Unavailable
from linclass_study.files.parquet_size import require_shallow

TEXT = (pl.String, pl.Categorical, pl.Enum)


def read(path: Path, options: Mapping[str, Any]) -> Columns:
    with errors_in_one_line("not a Parquet file"):
        frame = pl.read_parquet(path)
    if frame.is_empty():
        raise Unavailable("it contains no rows")
    left_out = unnamed_index(frame.columns, options)
    return Columns(frame.select(plain(column) for column in frame.drop(left_out)))


def header_columns(path: Path, dialect: Mapping[str, Any]) -> list[str]:
    """Names of the columns, from the schema."""
    with errors_in_one_line("not a Parquet file"):
        require_shallow(path)
        return list(pl.read_parquet_schema(path))


@contextmanager
def errors_in_one_line(summary: str) -> Iterator[None]:
    """Convert exceptions of readers of files to Unavailable."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError, EOFError, ValueError, LookupError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise Unavailable(f"{summary} ({reason})") from None


def plain(column: pl.Series) -> pl.Series:
    """Numbers and truth values as Float64, text as String; missing values are null."""
    if isinstance(column.dtype, TEXT):
        return column.cast(pl.String)
    if column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
        return column.cast(pl.Float64).fill_nan(None)
    return column  # refused later, unless the entry drops it, or makes labels of dates
