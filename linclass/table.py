"""A table: the matrix of features, the names of its columns, and what its category codes mean.

Features and transforms map tables to tables; a classifier is given ``X`` alone. One rule makes
both simple: a column of categories is a column of numbers whose values are places in ``levels``,
so a table is always one float matrix, dense or CSR, and NaN always means missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse


@dataclass(frozen=True, eq=False)
class Table:
    """X (n × d), one name per column, and the levels of its categorical columns.

    X        float64 in C order, or ``scipy.sparse.csr_array`` with 32-bit indices
    names    the d names of the columns
    levels   name of a categorical column → its levels; X holds the place of the level
    """

    X: Any
    names: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.names) != self.X.shape[1]:
            raise ValueError(
                f"{len(self.names)} names for {self.X.shape[1]} columns; give one name per column."
            )
        known = set(self.names)
        strangers = [name for name in self.levels if name not in known]
        if strangers:
            raise ValueError(f"levels of {strangers[0]!r}, which is not a column; leave them out.")

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(self.X)

    def rows(self, index: np.ndarray) -> Table:
        """The rows that a boolean mask, a slice or an array of row numbers selects."""
        return replace(self, X=self.X[index])
