"""Interactions:  x → (x, x_i·x_j for i < j): pairs of features, without the squares."""

from linclass.base.tables import Table
from linclass.preprocessing.features._products import append_pairs


def apply(table: Table) -> Table:
    """Append the products of all pairs of different columns.

    Parameters
    ----------
    table : Table
        Rows and the names of their columns.

    Returns
    -------
    Table
        The columns, then the products.
    """
    return append_pairs(table, "interactions", squares=False)
