"""Vocabulary: keep the columns that occur in enough training rows, and not in too many.

    vocabulary: {min_rows: 2, max_share: 0.5, most: 20000}

A column occurs in a row if its value there is not 0. This is frequency-based feature selection, fitted to
training rows alone. Columns without any training row need no such step: they are always dropped
(linclass_study/pipeline/transforming.py).
                            Manning, Raghavan & Schütze (2008), Introduction to Information Retrieval, §13.5.3
"""

from typing import Self

import numpy as np

from linclass.base.arrays import ArrayLike
from linclass.base.messages import NotApplicable, counted
from linclass.base.parameters import is_number, require_whole
from linclass.base.tables import Table
from linclass.preprocessing.transforms.base import Transform, occurrences


class Vocabulary(Transform):
    """Selects columns by the number of rows in which they occur.

    Parameters
    ----------
    min_rows : int, default=1
        Least number of training rows in which a column must occur.
    max_share : float, default=1.0
        Largest share of the training rows in which it may occur, above 0 and at most 1.
    most : int or None, default=None
        Number of columns to keep, those that occur in most rows; ties go to the earlier column.
        None keeps all.

    Attributes
    ----------
    kept_ : array of int
        Indices of the columns that are kept.
    """

    def __init__(self, min_rows: int = 1, max_share: float = 1.0, most: int | None = None):
        require_whole("vocabulary: min_rows", min_rows, 1)
        require_whole("vocabulary: most", most, 1, or_none=True)
        if not (is_number(max_share) and 0 < max_share <= 1):
            raise ValueError(
                f"vocabulary: max_share is {max_share!r}; it must be a number above 0, at most 1."
            )
        self.min_rows, self.max_share, self.most = min_rows, max_share, most

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        n, _ = table.shape
        rows = occurrences(table)
        kept = (rows >= self.min_rows) & (rows <= self.max_share * n)
        if self.most is not None:
            rank = np.argsort(np.where(kept, -rows, 1), kind="stable")
            kept[rank[self.most :]] = False
        if not kept.any() and not table.levels:
            raise NotApplicable(
                f"vocabulary: none of the {len(kept)} columns occurs in {self.min_rows} or more of the "
                f"{counted(n, 'training row')}, and in at most {self.max_share:g} of them; "
                "lower min_rows or raise max_share."
            )
        for name in table.levels:  # the code 0 of a category is a level, too
            kept[table.names.index(name)] = True
        self.kept_ = np.flatnonzero(kept)
        return self

    def transform(self, table: Table) -> Table:
        return table.columns(self.kept_)
