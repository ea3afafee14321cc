"""Tables larger than memory: concatenate sorted files, and read them in pieces that do not split a fit or run.

Each file contains the rows of complete runs, sorted by fit, and no two files share a run. So their concatenation in
the order of their first rows is sorted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import polars as pl

from linclass_study.files import tables as table_files
from linclass_study.files.reading import naming_errors, refuse_unreadable, scan_parquet
from linclass_study.files.tables import FIT, table_schema, write_table

PIECE = 500_000  # rows in memory at a time, or one fit or run if it has more


def concatenate_files(
    paths: Iterable[str | os.PathLike[str]],
    table: str,
    out: Path,
    change: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda rows: rows,
) -> None:
    """Concatenate the files in sorted order; `change` may transform single rows."""
    files = by_first_row(paths)
    if not files:
        return write_table(table_files.frame(table), table, out)
    columns = list(table_schema(table))
    rows = change(pl.concat([scan_parquet(file).select(columns) for file in files]))
    try:
        table_files.stream(rows, table, out)
    except pl.exceptions.PolarsError:
        for file in files:
            refuse_unreadable(file)
        raise


def by_first_row(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Files sorted by the fit of their first row; files without rows are omitted."""
    firsts = {Path(path): _first(Path(path)) for path in paths}
    return sorted((path for path in firsts if firsts[path]), key=lambda path: firsts[path])


def pieces(path: Path, whole: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Iterate over pieces of about PIECE rows; rows with equal values in `whole` are in one piece."""
    with naming_errors(path):
        lengths = (
            scan_parquet(path)
            .group_by(*whole, maintain_order=True)
            .agg(length=pl.len())
            .collect(engine="streaming")["length"]
        )
        begin = length = 0
        for more in lengths:
            if length and length + more > PIECE:
                yield scan_parquet(path).slice(begin, length).collect()
                begin, length = begin + length, 0
            length += more
        if length:
            yield scan_parquet(path).slice(begin, length).collect()


def _first(path: Path) -> tuple[object, ...]:
    with naming_errors(path):
        return next(scan_parquet(path).select(FIT).head(1).collect().iter_rows(), ())
