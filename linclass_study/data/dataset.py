"""A data set: rows in canonical order with their classes, the same from every source."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linclass.base.tables import Table


@dataclass
class Dataset:
    """Rows and class codes with their meaning; all empty for an unavailable data set."""

    table: Table
    y: np.ndarray  # (n,) int32, indices into classes
    split: np.ndarray  # (n,) int8, 0 train, 1 test; all 0 without an official split
    classes: list[str]
    positive: int = 0
    costs: list[list[float]] | None = None
    source: str = ""
    digest: str = ""
    attempts: list[dict[str, str]] = field(default_factory=list)
    bayes_error: tuple[float, float] | None = None  # of generated rows, with its standard error
    groups: np.ndarray | None = None  # (n,) int32, group of each row
    source_row: np.ndarray | None = (
        None  # (n,) int64, row of the source, or of the test set, from 0
    )
    in_file: str = ""  # Parquet file that holds the rows; the table then has a shape, but no values
