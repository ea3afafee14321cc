"""Quadratic augmentation:  x → (x, x_i·x_j for i ≤ j), so linear scores have quadratic boundaries.

Hastie, Tibshirani & Friedman (2009), §4.3: LDA on these columns is close to QDA on x.
"""

from linclass.base.tables import Table
from linclass.preprocessing.features._products import append_pairs


def apply(table: Table) -> Table:
    """Append the products of all pairs of columns, and the squares.

    Parameters
    ----------
    table : Table
        Rows and the names of their columns.

    Returns
    -------
    Table
        The columns, then the products.
    """
    return append_pairs(table, "quadratic", squares=True)
