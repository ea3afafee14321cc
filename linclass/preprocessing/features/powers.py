"""Powers:  x → (x, x², …, x^degree) of every column, without products of different columns."""

import numpy as np
import scipy.sparse as sp

from linclass.base.messages import require_memory
from linclass.base.parameters import require_whole
from linclass.base.tables import BYTES_PER_NAME, Table
from linclass.preprocessing.features._products import append, factor, refuse_text


def apply(table: Table, degree: int = 2) -> Table:
    """Append powers of each column.

    Parameters
    ----------
    table : Table
        Rows and the names of their columns.
    degree : int, default=2
        The largest power, at least 1.

    Returns
    -------
    Table
        The columns, then their squares, and so on.
    """
    require_whole("powers: degree", degree, 1)
    refuse_text(table, "powers")
    if degree == 1:
        return table
    width = (degree - 1) * len(table.names)
    entries = (degree - 1) * table.X.nnz if table.is_sparse else width * table.shape[0]
    size = 24 * entries + BYTES_PER_NAME * width  # a power, its place in the stack, a copy
    require_memory(size, f"powers of {len(table.names)} columns makes {width} more")
    stack = sp.hstack if table.is_sparse else np.hstack
    exponents = range(2, degree + 1)
    names = [f"{factor(name)}^{k}" for k in exponents for name in table.names]
    return append(table, stack([table.X**k for k in exponents]), names)
