"""Rows of a Parquet file block by block, for data that does not fit into memory.

    LinearDiscriminantAnalysis().fit_blocks(blocks("large.parquet", target="class"))

Every classifier that is a function of sums takes such blocks (linclass/statistics/from_statistics.py). A block is
a frame of numbers, so the names of its columns reach the classifier; only one is read at a time,
and of the file only the row groups that it lies in.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from linclass.conventions import NotApplicable

ROWS = 65_536


def blocks(
    path: str | Path, target: str, rows: int = ROWS
) -> Iterator[tuple[pl.DataFrame, np.ndarray]]:
    """(features, labels) of `rows` rows at a time, in the order of the file."""
    scanned = pl.scan_parquet(path)
    schema = scanned.collect_schema()
    if target not in schema:
        raise ValueError(f"{path} has no column '{target}'; it has {', '.join(list(schema)[:8])}.")
    features = [name for name in schema if name != target]
    for name in features:
        if not (schema[name].is_numeric() or schema[name] == pl.Boolean):
            raise NotApplicable(
                f"column '{name}' of {path} is {schema[name]}; blocks take numbers: encode it first."
            )
    numbers = pl.col(features).cast(pl.Float64)
    total = scanned.select(pl.len()).collect().item()
    for begin in range(0, total, rows):
        block = scanned.slice(begin, rows).with_columns(numbers).collect()
        yield block.select(features), block[target].to_numpy()
