"""A data set: an entry of the catalogue → rows in canonical order, the same from every source."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linclass.table import Table


@dataclass
class Dataset:
    """Rows, class codes and what they mean; of an unavailable data set, nothing."""

    table: Table
    y: np.ndarray  # (n,) int32, places in classes
    split: np.ndarray  # (n,) int8, 0 train, 1 test; all 0 without an official split
    classes: list[str]
    positive: int = 0
    costs: list[list[float]] | None = None
    source: str = ""
    digest: str = ""
    attempts: list[dict[str, str]] = field(default_factory=list)
    bayes_error: tuple[float, float] | None = None  # of drawn rows, with its own standard error
    groups: np.ndarray | None = None  # (n,) int32, where rows belong together
    in_file: str = (
        ""  # the Parquet file that rows stay in; then the table is empty, but for its shape
    )
