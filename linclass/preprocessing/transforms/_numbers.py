"""The numeric columns of a table, and new columns beside its categorical ones."""

from dataclasses import replace

import numpy as np

from linclass.base.arrays import Matrix
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table, new_names


def complete_numbers(table: Table, step: str) -> Matrix:
    """The numeric columns; NotApplicable if a value is missing."""
    X = table.numeric().X
    if np.isnan(X.data if table.is_sparse else X).any():
        raise NotApplicable(f"{step} needs all values, and some are missing; put impute before it.")
    return X


def beside_categories(table: Table, columns: np.ndarray, names: list[str]) -> Table:
    """The categorical columns of a table, dense, with these columns to their right."""
    categories = table.categorical()
    left = categories.X.toarray() if table.is_sparse else categories.X
    names_of_all = (*categories.names, *new_names(categories.names, names))
    return replace(categories, X=np.hstack([left, columns]), names=names_of_all)
