"""The numeric columns of a table, and new columns beside its categorical ones."""

from dataclasses import replace

import numpy as np

from linclass.annotations import Matrix
from linclass.table import Table, new_names


def numeric_columns(table: Table) -> Matrix:
    """The columns that are not categorical."""
    if not table.levels:
        return table.X
    return table.X[:, [j for j, name in enumerate(table.names) if name not in table.levels]]


def beside_categories(table: Table, columns: np.ndarray, names: list[str]) -> Table:
    """The categorical columns of a table, dense, with these columns to their right."""
    kept = [j for j, name in enumerate(table.names) if name in table.levels]
    categories = table.columns(np.array(kept, np.int64))
    left = categories.X.toarray() if table.is_sparse else categories.X
    names_of_all = (*categories.names, *new_names(categories.names, names))
    return replace(categories, X=np.hstack([left, columns]), names=names_of_all)
