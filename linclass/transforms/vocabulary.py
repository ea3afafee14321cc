"""Vocabulary: the columns that enough training rows have, and not too many; the others are left out.

    vocabulary: {min_rows: 2, max_share: 0.5, most: 20000}

A row has a column if its value there is not 0. Kept are columns that at least `min_rows` training
rows and at most a share `max_share` of them have; of these the `most` that most rows have, the
earlier of equals. Which words a data set has is no secret of its test rows, but which of them
count as features decides fits (naive Bayes smooths over all of them), so it is learned here, from
training rows alone.            Manning, Raghavan & Schütze (2008), Introduction to Information
                                Retrieval, §13.5.3: frequency-based feature selection
"""

from typing import Any, Self

import numpy as np

from linclass.conventions import NotApplicable
from linclass.table import Table
from linclass.transforms._occurrences import occurrences


class Vocabulary:
    def __init__(self, min_rows: int = 1, max_share: float = 1.0, most: int | None = None):
        for name, value in (("min_rows", min_rows), ("most", most)):
            if value is not None and not (type(value) is int and value > 0):
                raise ValueError(
                    f"vocabulary: {name} is {value!r}; it must be a whole number, at least 1."
                )
        if isinstance(max_share, bool) or not 0 < max_share <= 1:
            raise ValueError(
                f"vocabulary: max_share is {max_share!r}; it must be a number above 0, at most 1."
            )
        self.min_rows, self.max_share, self.most = min_rows, max_share, most

    def fit(self, table: Table, y: Any = None) -> Self:
        n, _ = table.shape
        rows = occurrences(table)
        kept = (rows >= self.min_rows) & (rows <= self.max_share * n)
        if self.most is not None:
            rank = np.argsort(np.where(kept, -rows, 1), kind="stable")
            kept[rank[self.most :]] = False
        if not kept.any() and not table.levels:
            raise NotApplicable(
                f"vocabulary: none of the {len(kept)} columns occurs in {self.min_rows} or more of the "
                f"{n} training rows, and in at most {self.max_share:g} of them; ask for less."
            )
        for name in table.levels:  # a category's code 0 is a level like any other
            kept[table.names.index(name)] = True
        self.kept_ = np.flatnonzero(kept)
        return self

    def transform(self, table: Table) -> Table:
        return table.columns(self.kept_)
