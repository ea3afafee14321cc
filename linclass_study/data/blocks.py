"""Read a Parquet file in blocks of rows, for data that do not fit into memory.

    LinearDiscriminantAnalysis().fit_blocks(read_blocks("large.parquet", target="class"))

Every classifier that depends on sums over rows alone accepts such blocks (linclass/discriminant/from_statistics.py). A
block is a numeric data frame, so the classifier sees the column names. One block is in memory at a time, and only the
row groups that it overlaps are read. Studies read data sets with `format: parquet_blocks` in this way
(linclass_study/execution/worker.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from linclass.base.messages import NotApplicable
from linclass.base.tables import Table

ROWS = 65_536


def read_blocks(
    path: str | Path, target: str, rows: int = ROWS
) -> Iterator[tuple[pl.DataFrame, np.ndarray]]:
    """Iterate over (features, labels) of `rows` rows at a time, in the order of the file."""
    features = numbers_of(path, target)
    for block in _slices(path, [*features, target], features, rows):
        yield block.select(features), block[target].to_numpy()


def tables(path: str | Path, names: Sequence[str], rows: int = ROWS) -> Iterator[Table]:
    """Iterate over the named columns as tables; missing values are NaN."""
    for block in _slices(path, names, names, rows):
        yield Table(np.ascontiguousarray(block.select(names).to_numpy()), tuple(names))


def numbers_of(path: str | Path, target: str, drop: Iterable[str] = ()) -> list[str]:
    """Names of all columns except the target and the dropped ones; each must be numeric."""
    schema = pl.scan_parquet(path).collect_schema()
    for name in (target, *drop):
        if name not in schema:
            raise ValueError(
                f"{path} has no column '{name}'; it has {', '.join(list(schema)[:8])}."
            )
    features = [name for name in schema if name not in {target, *drop}]
    for name in features:
        if not (schema[name].is_numeric() or schema[name] == pl.Boolean):
            raise NotApplicable(
                f"column '{name}' of {path} is {schema[name]}; blocks take numbers: encode it first."
            )
    return features


def _slices(
    path: str | Path, columns: Sequence[str], numbers: Sequence[str], rows: int
) -> Iterator[pl.DataFrame]:
    scanned = pl.scan_parquet(path).select(columns)
    total = scanned.select(pl.len()).collect().item()
    for begin in range(0, total, rows):
        yield scanned.slice(begin, rows).with_columns(pl.col(numbers).cast(pl.Float64)).collect()
