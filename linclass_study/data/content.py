"""Content of a file as its format reads it: named columns, sparse counts, or rows that stay in their file.

Every format returns one of these. Classes, order and codes are decided later (assembly/).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl


@dataclass(frozen=True)
class Matrix:
    """Numeric matrix from a separate file, with one row for each row of the source, in the same order."""

    X: Any  # float64, dense or csr_array
    names: list[str]


@dataclass(frozen=True)
class Columns:
    """Named columns, the target among them: numbers are Float64, text is String, null is missing."""

    frame: pl.DataFrame
    target: str | None = None  # the source's own target; `target:` of the entry overrides it
    split: np.ndarray | None = None  # int8: 0 train, 1 test; None if the file has no split
    matrices: tuple[Matrix, ...] = ()
    bayes_error: tuple[float, float] | None = None  # of generated rows, with its standard error

    @property
    def n_rows(self) -> int:
        return self.frame.height


@dataclass(frozen=True)
class Counts:
    """Sparse matrix with the labels of its rows."""

    X: Any  # csr_array, float64, columns in their final order
    names: list[str]
    labels: list[str]
    split: np.ndarray  # int8: 0 train, 1 test; all 0 if the file has no split
    are_words: bool = False  # then columns that are 0 in all kept rows are dropped
    matrices: tuple[Matrix, ...] = ()
    bayes_error: tuple[float, float] | None = None  # as in Columns

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    def rows(self, index: np.ndarray) -> Counts:
        """Select rows by index."""
        labels = [self.labels[row] for row in index]
        return replace(self, X=self.X[index], labels=labels, split=self.split[index])


@dataclass(frozen=True)
class InFile:
    """Rows that stay in a Parquet file: names of numeric columns, and the class of each row."""

    path: Path
    names: list[str]
    y: np.ndarray  # (n,) int32, indices into classes
    classes: list[str]
    digest: str
    groups: np.ndarray | None = None  # (n,) int32, group of each row
    matrices: tuple[Matrix, ...] = ()

    @property
    def n_rows(self) -> int:
        return len(self.y)


Content = Columns | Counts | InFile
