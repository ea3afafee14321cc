"""Select: the columns whose names match a pattern, in their order; `*` stands for any characters.

    select: {columns: ["minilm.*", age]}

With it, methods that use different columns of the same rows (words, an embedding, both) are compared on
the same folds.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase

import numpy as np

from linclass.base.messages import NotApplicable, first_names
from linclass.base.parameters import is_list
from linclass.base.tables import Table

SHOWN = 5  # columns in a message


def apply(table: Table, columns: Sequence[str] = ("*",)) -> Table:
    """Keep some of the columns.

    Parameters
    ----------
    table : Table
        Rows and the names of their columns.
    columns : sequence of str, default=('*',)
        Names of columns, or patterns with `*`.

    Returns
    -------
    Table
        The columns that match, in their order.
    """
    if not is_list(columns) or not len(columns):
        raise ValueError(f"select: columns is {columns!r}; give a list of names, perhaps with *.")
    patterns = list(map(str, columns))
    chosen = [any(fnmatchcase(name, pattern) for pattern in patterns) for name in table.names]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in table.names):
            known = first_names(table.names, SHOWN)
            raise NotApplicable(f"select: no column is called {pattern!r}; columns are {known}.")
    return table.columns(np.flatnonzero(chosen))
