"""The interface of every transform."""

from typing import ClassVar, Self

from linclass.base.arrays import ArrayLike
from linclass.base.tables import Table


class Transform:
    """A map of tables that is fitted to training rows."""

    makes_dense: ClassVar[bool] = False  # whether sparse rows come out dense
    takes_tables: ClassVar[bool] = True  # and not matrices, as transformers of other libraries do

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
