"""Missing cells, constant columns and duplicated columns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.checks import cell_words

NAMED = 100  # columns that are named; all are counted


def kinds(table: Table) -> dict[str, Any]:
    """Numbers of numeric, categorical and text columns."""
    texts, coded = len(table.texts), len(table.levels)
    return {"numeric": len(table.names) - coded, "categorical": coded - texts, "texts": texts}


def missing_cells(table: Table) -> dict[str, Any]:
    """Number of missing cells, in total and by column."""
    if not table.is_sparse:
        return missing_facts(table.names, np.isnan(table.X).sum(axis=0))
    gaps = table.X.indices[np.isnan(table.X.data)]
    return missing_facts(table.names, np.bincount(gaps, minlength=len(table.names)))


def constant_columns(table: Table) -> dict[str, Any]:
    """Columns with at most one distinct value, missing cells ignored."""
    return constant_facts(table.names, _varies(table.X))


def duplicated(table: Table) -> dict[str, Any]:
    """Columns that equal an earlier one in every row, up to names of columns and levels; constant ones are excluded."""
    return duplicated_facts(table.names, _contents(table), _varies(table.X))


def missing_facts(names: Sequence[str], counts: np.ndarray) -> dict[str, Any]:
    most = np.argsort(-counts, kind="stable")[: min(NAMED, np.count_nonzero(counts))]
    return {
        "missing_values": int(counts.sum()),
        "missing_by_column": {names[j]: int(counts[j]) for j in most.tolist()},
    }


def constant_facts(names: Sequence[str], varies: np.ndarray) -> dict[str, Any]:
    found = [names[j] for j in np.flatnonzero(~varies).tolist()]
    return {"constant_columns": len(found), "constant_column_names": found[:NAMED]}


def duplicated_facts(
    names: Sequence[str], contents: Iterable[bytes], varies: np.ndarray
) -> dict[str, Any]:
    first: dict[bytes, str] = {}
    again = {}
    for name, content, counts in zip(names, contents, varies, strict=True):
        if counts and (known := first.setdefault(content, name)) != name:
            again[name] = known
    shown = dict(list(again.items())[:NAMED])
    return {"duplicated_columns": len(again), "duplicated_column_of": shown}


def _varies(X: Any) -> np.ndarray:
    """Mask of columns with at least two distinct values."""
    if not sparse.issparse(X):
        return np.fmin.reduce(X, axis=0) < np.fmax.reduce(X, axis=0)
    X = X.tocsc()
    n, d = X.shape
    stored = np.diff(X.indptr)
    low, high = np.full(d, np.nan), np.full(d, np.nan)
    filled = np.flatnonzero(stored)
    if len(filled):
        starts = X.indptr[filled]
        low[filled] = np.fmin.reduceat(X.data, starts)
        high[filled] = np.fmax.reduceat(X.data, starts)
    beside_zeros = stored < n
    low[beside_zeros] = np.fmin(low[beside_zeros], 0)
    high[beside_zeros] = np.fmax(high[beside_zeros], 0)
    return low < high


def _contents(table: Table) -> Iterator[bytes]:
    """Hash of each column; levels are numbered in the order of their first rows."""
    X = table.X.tocsc() if table.is_sparse else table.X
    for j, name in enumerate(table.names):
        if name in table.levels:
            codes = np.nan_to_num(table.column(j), nan=-1).astype(np.int64)
            kind, parts = b"levels", [_by_first_row(codes)]
        elif table.is_sparse:
            own = slice(X.indptr[j], X.indptr[j + 1])
            kind, parts = b"numbers", [X.indices[own], cell_words.of_numbers(X.data[own])]
        else:
            kind, parts = b"numbers", [cell_words.of_numbers(X[:, j])]
        total = hashlib.blake2b(kind, digest_size=16)
        for part in parts:
            total.update(np.ascontiguousarray(part).data)
        yield total.digest()


def _by_first_row(codes: np.ndarray) -> np.ndarray:
    """Codes renumbered in the order of their first rows; missing cells stay −1."""
    levels, first, place = np.unique(codes, return_index=True, return_inverse=True)
    known = np.flatnonzero(levels >= 0)
    number = np.full(len(levels), -1)
    number[known[np.argsort(first[known])]] = np.arange(len(known))
    return number[place]
