"""Rows of a data set before they are in canonical order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linclass.base.tables import Table


class Assembled(NamedTuple):
    """The table has no rows of excluded classes; `y` and `split` have them, with code −1, until `assemble`
    ends, which adds `source_row`."""

    table: Table
    y: np.ndarray  # int32, indices into classes
    split: np.ndarray  # int8: 0 train, 1 test
    classes: list[str]
    groups: np.ndarray | None = None  # int32, group of each row of the table
    source_row: np.ndarray = np.empty(0, np.int64)  # row of the source, or of the test set, from 0
