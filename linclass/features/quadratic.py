"""Quadratic augmentation:  x → (x, x_i·x_j for i ≤ j), so linear scores bound quadratic regions.

Hastie, Tibshirani & Friedman (2009), §4.3: LDA on these columns is close to QDA on x.
"""

from linclass.features._products import append_pairs
from linclass.table import Table


def apply(table: Table) -> Table:
    return append_pairs(table, "quadratic", squares=True)
