"""The interface of every transform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from linclass.base.arrays import ArrayLike, Matrix
from linclass.base.documentation import documented
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table, new_names


class Transform:
    """A map of tables that is fitted to training rows."""

    makes_dense: ClassVar[bool] = False  # whether sparse rows come out dense
    takes_tables: ClassVar[bool] = True  # and not matrices, as transformers of other libraries do

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        documented(cls)

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        """Fit the transform to training rows.

        Parameters
        ----------
        table : Table
            Training rows.
        y : array of shape (n,) or None, default=None
            Ignored by linclass's own transforms.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def transform(self, table: Table) -> Table:
        """Transform rows.

        Parameters
        ----------
        table : Table
            Rows with the columns of the training rows.

        Returns
        -------
        Table
        """
        raise NotImplementedError

    def same_for(self, table: Table, folds: Sequence[np.ndarray]) -> bool:
        """Whether the transform is the same for the training rows of every fold; then it is fitted.

        Parameters
        ----------
        table : Table
            All rows.
        folds : sequence of arrays of int
            Held-out rows of each fold.

        Returns
        -------
        bool
        """
        return False

    def fit_transform(self, table: Table, y: ArrayLike | None = None) -> Table:
        """Fit the transform to training rows, and transform them.

        Parameters
        ----------
        table : Table
            Training rows.
        y : array of shape (n,) or None, default=None
            Classes.

        Returns
        -------
        Table
        """
        return self.fit(table, y).transform(table)


# The numeric columns of a table, and new columns beside its categorical ones.


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
