"""64-bit keys of rows and columns: equal rows have equal keys, whatever the order of columns, and vice versa.

    cell_ij = mixed(word_ij ⊕ c_j)  where the word is not 0, else 0;   c_j is a hash of the column's name
    key of row i = Σ_j cell_ij,     key of column j = Σ_i cell_ij      mod 2⁶⁴

Dense and sparse tables have the same keys, and columns of zeros do not change the keys of rows. The probability of a
collision among n rows is about n²/2⁶⁵: 3·10⁻⁸ for a million rows.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from linclass.base.tables import Table
from linclass_study.checks import cell_words
from linclass_study.checks.cell_words import Words

BLOCK = 1 << 18  # cells at a time


KINDS = ("rows_by_name", "rows_by_value", "columns_by_name")


class Keys(NamedTuple):
    rows: Words
    columns: Words


def keys_of_table(table: Table, named: bool = True) -> Keys:
    """Keys of rows and columns; with `named=False`, independent of the column names."""
    hashes = [cell_words.of_name(name if named else "") for name in table.names]
    salts = np.array(hashes, np.uint64)
    coded = [j for j, name in enumerate(table.names) if name in table.levels]
    found = (_of_sparse if table.is_sparse else _of_dense)(table.X, salts, coded)
    for j in coded:
        levels = table.levels[table.names[j]]
        cells = _mixed(cell_words.of_levels(table.column(j), levels), salts[j])
        found.rows[:] += cells
        found.columns[j] = cells.sum(dtype=np.uint64)
    return found


def by_kind(table: Table) -> dict[str, Words]:
    """Keys of the rows with and without column names, and of the columns."""
    by_name = keys_of_table(table)
    return dict(
        zip(
            KINDS,
            (by_name.rows, keys_of_table(table, named=False).rows, by_name.columns),
            strict=True,
        )
    )


def features_digest(rows: Words) -> str:
    """Hash of the features of all rows, independent of their order and classes."""
    return f"sha256:{hashlib.sha256(np.sort(rows).astype('<u8').tobytes()).hexdigest()}"


def _of_dense(X: np.ndarray, salts: Words, coded: list[int]) -> Keys:
    n, d = X.shape
    found = Keys(np.zeros(n, np.uint64), np.zeros(d, np.uint64))
    size = max(1, BLOCK // max(1, d))
    for start in range(0, n, size):
        own = slice(start, start + size)
        cells = _mixed(cell_words.of_numbers(X[own]), salts)
        cells[:, coded] = 0
        found.rows[own] = cells.sum(axis=1, dtype=np.uint64)
        found.columns[:] += cells.sum(axis=0, dtype=np.uint64)
    return found


def _of_sparse(X: Any, salts: Words, coded: list[int]) -> Keys:
    cells = _mixed(cell_words.of_numbers(X.data), salts[X.indices])
    if coded:
        cells[np.isin(X.indices, coded)] = 0
    columns = np.zeros(X.shape[1], np.uint64)
    np.add.at(columns, X.indices, cells)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(cells, dtype=np.uint64)])
    return Keys(sums[X.indptr[1:]] - sums[X.indptr[:-1]], columns)


def _mixed(cells: Words, salts: Any) -> Words:
    found = cell_words.mixed(cells ^ salts)
    found[cells == 0] = 0
    return found
