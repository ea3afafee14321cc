"""The design matrix of most methods of the catalogue: imputed, then one-hot encoded without the first level.

All rows are used for imputation here, as nothing is predicted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linclass.base.tables import Table
from linclass.preprocessing.transforms.impute import Impute
from linclass.preprocessing.transforms.one_hot import OneHot

BLOCK = 1 << 20  # dense cells at a time
CELLS = 4 * 10**7  # maximum of a dense matrix for the checks


class NotChecked(Exception):
    """A check would be too expensive or is undefined; the message is the reason."""


def design(table: Table) -> Any:
    """Design matrix (n, p), dense or CSR, without text columns."""
    kept = [j for j, name in enumerate(table.names) if name not in table.texts]
    if not kept:
        raise NotChecked("there are texts only")
    if len(kept) < len(table.names):
        table = table.columns(np.array(kept))
    indicators = sum(len(levels) for levels in table.levels.values())
    if indicators and table.shape[0] * (len(kept) + indicators) > CELLS:
        raise NotChecked(f"one-hot makes about {indicators:,} columns")
    filled = Impute().fit(table).transform(table)
    return OneHot().fit(filled).transform(filled).X


def dense_blocks(X: Any) -> Iterator[np.ndarray]:
    """Iterate over dense blocks of rows."""
    size = max(1, BLOCK // max(1, X.shape[1]))
    for start in range(0, X.shape[0], size):
        block = X[start : start + size]
        yield block if isinstance(block, np.ndarray) else block.toarray()
