"""A table: the matrix of features, the names of its columns, and what its category codes mean.

Features and transforms map tables to tables; a classifier is given ``X`` alone. One rule makes
both simple: a column of categories is a column of numbers whose values are places in ``levels``,
so a table is always one float matrix, dense or CSR, and NaN always means missing. A column of texts
(posts, reviews) is such a column, too; its levels are the texts, and ``texts`` says that they are no
categories: one makes features of their words, never an indicator of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse


class NamedRows(np.ndarray):
    """A matrix whose columns have names, as those of a data frame."""

    columns: tuple[str, ...]

    def __array_finalize__(self, rows: Any) -> None:
        self.columns = getattr(rows, "columns", ())


@dataclass(frozen=True, eq=False)
class Table:
    """X (n × d), one name per column, and the levels of its categorical columns.

    X        float64 in C order, or ``scipy.sparse.csr_array`` with 32-bit indices
    names    the d names of the columns
    levels   name of a categorical column → its levels; X holds the place of the level
    texts    the names of those whose levels are running texts
    """

    X: Any
    names: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    texts: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if len(self.names) != self.X.shape[1]:
            raise ValueError(
                f"{len(self.names)} names for {self.X.shape[1]} columns; give one name per column."
            )
        known = set(self.names)
        strangers = [name for name in self.levels if name not in known]
        if strangers:
            raise ValueError(f"levels of {strangers[0]!r}, which is not a column; leave them out.")
        if unread := self.texts - set(self.levels):
            raise ValueError(
                f"{min(unread)!r} is a column of texts without texts; give its levels."
            )

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(self.X)

    def rows(self, index: np.ndarray) -> Table:
        """The rows that a boolean mask, a slice or an array of row numbers selects."""
        return replace(self, X=self.X[index])

    def named_rows(self) -> Any:
        """X with the names of its columns, for classifiers whose parameters speak of columns."""
        X = sparse.csr_array(self.X) if self.is_sparse else self.X.view(NamedRows)
        X.columns = self.names
        return X

    def columns(self, index: np.ndarray) -> Table:
        """The columns of these numbers, in their order, with all that is known of them."""
        X = self.X[:, index]
        if self.is_sparse:
            X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        else:
            X = np.ascontiguousarray(X)
        names = tuple(self.names[j] for j in index)
        levels = {name: levels for name, levels in self.levels.items() if name in names}
        return Table(X, names, levels, self.texts & {*names})
