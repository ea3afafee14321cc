"""Whether rows are stored as an array or sparse: as `dense:` of the entry says, else by their density and size.

The file format alone must not decide: LIBSVM files leave zeros out even where there are hardly any, and sparse rows are
not centred, not drawn on a plane and refused by many estimators. docs/data.md has the rule with its reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linclass.applicability import NotApplicable, require_memory
from linclass.tables.table import Table
from linclass_study.data.sparse_rows import plain_csr
from linclass_study.data.unavailable import Unavailable

SHARE = 0.25  # of values that are not 0, from which fits on arrays are as fast and take at most 2.7 times the memory
SMALL = 1_000_000  # bytes of an array that stays in the processor's cache
LARGE = 1_000_000_000  # bytes of an array that is made only on request


def stored(
    table: Table, split: np.ndarray, entry: Mapping[str, Any], own: Collection[str], words: bool
) -> Table:
    """The rows as an array or sparse. `own` are the columns of the training source: sparse test rows may have more,
    which an array leaves out, as it does words without a training row. Counts of `words` stay sparse unless the entry
    says otherwise.

    Only the training rows and the number of test rows matter, as no fit on training rows may depend on test rows.
    """
    if entry.get("dense") is False and not table.is_sparse:
        return replace(table, X=plain_csr(table.X))
    if not table.is_sparse or not entry.get("dense", not words):
        return table
    known = np.array([name in own for name in table.names])
    if words:
        known &= np.bincount(table.X[split == 0].indices, minlength=len(known)) > 0
    columns = np.flatnonzero(known)
    size = 8 * len(split) * len(columns)
    if "dense" not in entry:
        n_train = np.count_nonzero(split == 0)
        nonzero = np.diff(table.X.indptr)[split == 0].sum()
        is_small = 8 * n_train * len(columns) <= SMALL
        if size > LARGE or not (is_small or nonzero >= SHARE * n_train * len(columns)):
            return table
    _require_memory(size, len(split), len(columns))
    table = table if len(columns) == table.shape[1] else table.columns(columns)
    return replace(table, X=table.X.toarray(), words=words)


def _require_memory(size: int, n: int, d: int) -> None:
    needed = 2 * size + n * d  # a copy in canonical order, and which values are missing
    try:
        require_memory(needed, "")
    except NotApplicable:
        raise Unavailable(
            f"`dense: true` takes {needed / 1e9:,.1f} GB for {n:,} rows × {d:,} columns, more than "
            "limits.read_memory_mb leaves; leave it out, or raise that limit"
        ) from None
