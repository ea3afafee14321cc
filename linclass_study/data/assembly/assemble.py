"""Content of the sources → table, class codes and split, as the entry asks.

Target, group, dropped columns and rows of dropped classes are removed from the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.data.assembly.assembled import Assembled
from linclass_study.data.assembly.columns_to_table import columns_to_table
from linclass_study.data.assembly.counts_to_table import counts_to_table
from linclass_study.data.assembly.sparse_or_dense import stored
from linclass_study.data.content import Columns, Content, Counts
from linclass_study.data.sparse_rows import plain_csr
from linclass_study.data.unavailable import Unavailable


def assemble(train: Columns | Counts, test: Content | None, entry: Mapping[str, Any]) -> Assembled:
    """The rows of all classes that the entry keeps."""
    found = (
        columns_to_table(train, test, entry)
        if isinstance(train, Columns)
        else counts_to_table(train, test, entry)
    )
    table, kept = found.table, found.y >= 0
    if train.matrices or (test is not None and test.matrices):
        table = _with_matrices(table, train, test, kept)
    if not table.names:
        raise Unavailable("no column is left beside the target (drop fewer)")
    split = found.split[kept]
    words = isinstance(train, Counts) and train.are_words
    table = stored(table, split, entry, _own_columns(train, table), words)
    parts = [part for part in (train, test) if part is not None]
    source_row = np.concatenate([np.arange(part.n_rows) for part in parts])[kept]
    return found._replace(table=table, y=found.y[kept], split=split, source_row=source_row)


def _own_columns(train: Columns | Counts, table: Table) -> set[str]:
    """Columns of the training source."""
    if isinstance(train, Columns):
        return {*table.names}
    return {*train.names, *(name for matrix in train.matrices for name in matrix.names)}


def _with_matrices(table: Table, train: Content, test: Content | None, kept: np.ndarray) -> Table:
    """Append the columns of the matrices to the table; the result is sparse if one of them is."""
    parts = [train] if test is None else [train, test]
    names = [[name for matrix in part.matrices for name in matrix.names] for part in parts]
    if names[0] != names[-1]:
        raise Unavailable(
            f"the matrices of the test set have {len(names[-1])} columns, those of the training set "
            f"{len(names[0])}, or other names; both need the same `matrices:`"
        )
    known = {*table.names}
    if twice := next((name for name in names[0] if name in known), None):
        raise Unavailable(f"two columns are called '{twice}'; give the matrix another name")
    blocks = [[matrix.X for matrix in part.matrices] for part in parts]
    if table.is_sparse or any(sparse.issparse(X) for block in blocks for X in block):
        rows = [sparse.hstack(list(map(sparse.csr_array, block))) for block in blocks]
        beside = sparse.csr_array(sparse.vstack(rows))[np.flatnonzero(kept)]
        X = plain_csr(sparse.hstack([sparse.csr_array(table.X), beside]))
    else:
        X = np.hstack([table.X, np.vstack([np.hstack(block) for block in blocks])[kept]])
    return replace(table, X=X, names=(*table.names, *names[0]))
