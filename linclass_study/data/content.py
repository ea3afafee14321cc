"""What a file says, before an entry says what to make of it: named columns, or sparse counts.

Every format returns one of the two. Nothing is decided here about classes, order or codes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl


@dataclass(frozen=True)
class Matrix:
    """Numbers from a file of their own, a row for each row of the source, in its order."""

    X: Any  # float64, dense or csr_array
    names: list[str]


@dataclass(frozen=True)
class Columns:
    """Named columns, the target among them: numbers are Float64, text is String, null is missing."""

    frame: pl.DataFrame
    target: str | None = None  # what the source itself calls the target; an entry's `target:` wins
    split: np.ndarray | None = None  # int8: 0 train, 1 test; None where the file does not say
    matrices: tuple[Matrix, ...] = ()
    bayes_error: tuple[float, float] | None = None  # of drawn rows, with its own standard error

    @property
    def n_rows(self) -> int:
        return self.frame.height


@dataclass(frozen=True)
class Counts:
    """Rows of a sparse matrix with their labels."""

    X: Any  # csr_array, float64, columns in their final order
    names: list[str]
    labels: list[str]
    split: np.ndarray  # int8: 0 train, 1 test; all 0 where the file does not say
    are_words: bool = False  # then a column that occurs in no kept row is no feature
    matrices: tuple[Matrix, ...] = ()
    bayes_error: tuple[float, float] | None = None  # as that of Columns

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    def rows(self, index: np.ndarray) -> Counts:
        """The rows of these numbers."""
        labels = [self.labels[row] for row in index]
        return replace(self, X=self.X[index], labels=labels, split=self.split[index])


@dataclass(frozen=True)
class InFile:
    """Rows that stay in a Parquet file: columns of numbers, and the class of each row."""

    path: Path
    names: list[str]
    y: np.ndarray  # (n,) int32, places in classes
    classes: list[str]
    digest: str
    groups: np.ndarray | None = None  # (n,) int32, where rows belong together
    matrices: tuple[Matrix, ...] = ()

    @property
    def n_rows(self) -> int:
        return len(self.y)


Content = Columns | Counts | InFile
