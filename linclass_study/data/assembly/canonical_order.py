"""Canonical order of rows, independent of their order in the source.

Rows are sorted by split, then class, then a hash of their content; equal rows of one group are interchangeable.
Sorting by a hash and not by the values shuffles the rows in the same way everywhere, which online methods need.

Codes of levels and numbers of sparse columns depend on all rows. The order of the training rows, and so their folds,
must not depend on the rows of an official test set, so they are hashed as if there were no other rows.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from linclass.base.tables import Table
from linclass_study.data.sparse_rows import plain_csr


def canonical_order(
    table: Table, y: np.ndarray, split: np.ndarray, groups: np.ndarray | None = None
) -> np.ndarray:
    """Permutation of the rows into canonical order."""
    words = _hashes(table)
    if split.any() and (table.is_sparse or table.levels):
        training = np.flatnonzero(split == 0)
        words[training] = _hashes(_alone(table.rows(training)))
    last = [] if groups is None else [groups]
    return np.lexsort((*last, words[:, 1], words[:, 0], y, split))


def normalized(table: Table) -> Table:
    """One bit pattern per value: −0 becomes 0 and every NaN the same NaN, in place where possible."""
    if table.is_sparse:
        return table
    X = np.ascontiguousarray(table.X)
    np.add(X, 0.0, out=X)
    missing = np.isnan(X)
    if missing.any():
        X[missing] = np.nan
    return replace(table, X=X)


def _hashes(table: Table) -> np.ndarray:
    hashes = [hashlib.blake2b(row, digest_size=16).digest() for row in _rows(table)]
    return np.frombuffer(b"".join(hashes), dtype=">u8").reshape(-1, 2).copy()


def _alone(table: Table) -> Table:
    """Rows with the codes of levels, and the numbers of sparse columns, that they have without any other rows."""
    X = table.X.copy()
    for j, name in enumerate(table.names):
        if name in table.levels:
            codes = table.column(j)
            known = ~np.isnan(codes)
            codes[known] = np.unique(codes[known], return_inverse=True)[1]
            if table.is_sparse:
                own = X.indices == j
                X.data[own] = codes[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[own]]
            else:
                X[:, j] = codes
    if table.is_sparse:
        X = plain_csr(X)
        occurs = np.bincount(X.indices, minlength=X.shape[1]) > 0
        X.indices = (np.cumsum(occurs, dtype=np.int32) - 1)[X.indices]
    return table.with_rows(X)


def _rows(table: Table) -> Any:
    """The bytes of each row."""
    if not table.is_sparse:
        return np.ascontiguousarray(table.X, dtype="<f8")
    X = table.X
    indices, data = X.indices.astype("<i4").tobytes(), X.data.astype("<f8").tobytes()
    bounds = X.indptr.tolist()
    return (indices[4 * a : 4 * b] + data[8 * a : 8 * b] for a, b in pairwise(bounds))
