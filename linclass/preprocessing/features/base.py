"""What feature maps share: their docstrings, new columns beside those of a table, and which tables they refuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Matrix
from linclass.base.documentation import documented
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table, new_names

Map = TypeVar("Map", bound=Callable[..., Any])
SHARED = r"""A map of single rows.

Parameters
----------
table : Table
    Rows and the names of their columns.
lower : bool
    Whether to convert the texts to lower case first.
pattern : str
    Regular expression that a word matches: by default runs of at least two letters, digits or
    underscores.
ngrams : int
    Also count runs of 2, ..., `ngrams` consecutive words; 1 counts words alone.

Returns
-------
Table
"""


def documented_feature(function: Map) -> Map:
    """Complete the docstring of a feature map by what maps share."""
    return documented(function, SHARED)


def refuse_text(table: Table, feature: str) -> None:
    if table.levels:
        raise NotApplicable(
            f"{feature} needs numeric columns; {next(iter(table.levels))!r} is text. "
            f"Drop the column, or leave {feature} out."
        )


def refuse_no_texts(table: Table, feature: str) -> None:
    if not table.texts:
        raise NotApplicable(
            f"{feature} needs a column of texts, and the data set has none; "
            "`texts:` in its entry names such columns."
        )


def append(table: Table, columns: Matrix, names: list[str]) -> Table:
    """The table with these columns to its right."""
    both = [table.X, columns]
    X = sp.hstack(both, format="csr") if table.is_sparse else np.hstack(both)
    return replace(table, X=X, names=(*table.names, *new_names(table.names, names)))
