"""In how many rows each column has a value that is present and not 0."""

import numpy as np

from linclass.base.tables import Table


def occurrences(table: Table) -> np.ndarray:
    if not table.is_sparse:
        return ((table.X != 0) & ~np.isnan(table.X)).sum(axis=0)
    occurs = (table.X.data != 0) & ~np.isnan(table.X.data)
    return np.bincount(table.X.indices[occurs], minlength=table.shape[1])
