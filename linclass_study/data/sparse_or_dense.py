"""Whether rows are stored as an array or sparse: as `dense:` of the entry says, else by their density and size.

The file format must not decide: LIBSVM files leave zeros out even where there are hardly any, CSV files write all of
them. Sparse rows are not centred, not drawn on a plane and refused by many estimators, so rows are sparse only where an
array would waste much memory. docs/data.md has the rule with its reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linclass.base.messages import NotApplicable, require_memory
from linclass.base.tables import Table
from linclass_study.data.content import plain_csr
from linclass_study.data.unavailable import Unavailable

SMALL = 16_000_000  # bytes of an array whose memory does not matter
LARGE = 1_000_000_000  # bytes of an array that is made only where sparse rows are not smaller
SHARE = 0.15  # of values that are not 0, from which arrays up to LARGE are made: they take at most 4.4 times the memory
EQUAL = (
    2 / 3
)  # of values that are not 0, from which an array is not larger: 8 bytes for each value, not 12


def stored(
    table: Table, split: np.ndarray, entry: Mapping[str, Any], own: Collection[str], words: bool
) -> Table:
    """The rows as an array or sparse. `own` are the columns of the training source: sparse test rows may have more,
    which an array leaves out, as it does words without a training row. Counts of `words` stay sparse and columns with
    categories an array, unless the entry says otherwise.

    Only the training rows and the number of test rows matter, as no fit on training rows may depend on test rows.
    """
    known = np.array([name in own for name in table.names])
    if words:
        known &= np.bincount(table.X[split == 0].indices, minlength=len(known)) > 0
    columns = np.flatnonzero(known)
    if "dense" in entry:
        dense = entry["dense"]
    elif table.levels and not table.is_sparse:
        dense = True
    else:
        dense = not words and _as_array(table, split, len(columns))
    if not dense:
        return table if table.is_sparse else replace(table, X=plain_csr(table.X))
    if not table.is_sparse:
        return table
    _require_memory(8 * len(split) * len(columns), len(split), len(columns))
    table = table if len(columns) == table.shape[1] else table.columns(columns)
    return replace(table, X=table.X.toarray(), words=words)


def _as_array(table: Table, split: np.ndarray, d: int) -> bool:
    """Whether density and size of rows with d columns are those of an array."""
    train = split == 0
    cells = np.count_nonzero(train) * d
    if 8 * cells <= SMALL:
        return True
    X = table.X
    nonzero = np.diff(X.indptr) if table.is_sparse else np.count_nonzero(X, axis=1)
    enough = SHARE if 8 * len(split) * d <= LARGE else EQUAL
    return bool(nonzero[train].sum() >= enough * cells)


def _require_memory(size: int, n: int, d: int) -> None:
    needed = 2 * size + n * d  # a copy in canonical order, and which values are missing
    try:
        require_memory(needed, "")
    except NotApplicable:
        raise Unavailable(
            f"an array takes {needed / 1e9:,.1f} GB for {n:,} rows × {d:,} columns, more than "
            "limits.read_memory_mb leaves; give `dense: false`, or raise that limit"
        ) from None
