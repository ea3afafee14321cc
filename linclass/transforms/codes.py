"""Codes: a category becomes the number of its level, 0, 1, 2, …, for families of categories.

Levels come with the table, so nothing is learned here. A number is no measurement: this is for
classifiers that know it (CategoricalNB; ExponentialFamilyNB where a column is `categorical`), and
what measures distances takes `one_hot` instead.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from linclass.table import Table


class Codes:
    def fit(self, table: Table, y: Any = None) -> Self:
        return self

    def same_for(self, table: Table, folds: Sequence[np.ndarray]) -> bool:
        return True

    def transform(self, table: Table) -> Table:
        """Columns of texts stay texts."""
        return replace(table, levels={name: table.levels[name] for name in table.texts})
