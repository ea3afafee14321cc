"""Detect data sets that share rows: with other classes, in part, with other column names, or with further columns.

Three comparisons find them, each by keys (linclass_study/checks/row_keys.py):

    rows_by_name     distinct rows, whatever the order of rows and columns
    rows_by_value    the same without column names, if values alone distinguish rows (rows of words often have equally
                     many ones without being the same row)
    columns_by_name  columns, for data sets with equally many rows, of which some columns were dropped or added
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from linclass_study.checks.cell_words import Words

SHARE = 0.5  # minimal share of the distinct rows, or of the columns, of the smaller data set
ROWS = 20  # fewer rows may coincide by chance, unless they are all rows
COLUMNS = 3  # likewise
DISTINCT = 0.9  # share of the distinct rows that must differ in their values alone


def pairs(keys: Mapping[str, Mapping[str, Words]]) -> dict[tuple[str, str], float]:
    """(name, name) → share of rows or columns of the smaller data set that the other contains, if large.

    keys    name of a data set → its keys by kind
    """
    by_name, by_value, columns = (
        {name: np.unique(own[kind]) for name, own in keys.items()}
        for kind in ("rows_by_name", "rows_by_value", "columns_by_name")
    )
    distinct = {n: own for n, own in by_value.items() if len(own) >= DISTINCT * len(by_name[n])}
    found = [_overlaps(by_name, ROWS), _overlaps(distinct, ROWS)]
    of_size: dict[int, dict[str, Words]] = {}
    for name, own in columns.items():
        rows = len(keys[name]["rows_by_name"])
        of_size.setdefault(rows, {})[name] = own[own != 0]
    found += [_overlaps(same, COLUMNS) for same in of_size.values()]
    shares: dict[tuple[str, str], float] = {}
    for pair, share in (item for overlaps in found for item in overlaps.items()):
        shares[pair] = max(share, shares.get(pair, 0.0))
    return shares


def equal(digests: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """Pairs of data sets with equal digests of their features."""
    return [
        (one, other)
        for one, other in combinations(digests, 2)
        if digests[one] is not None and digests[one] == digests[other]
    ]


def related_groups(names: Iterable[str], related: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Names grouped by relation (direct or indirect), in their original order."""
    names = list(names)
    place = {name: i for i, name in enumerate(names)}
    edges = [(place[a], place[b]) for a, b in related if a in place and b in place]
    row, column = np.array(edges, int).reshape(-1, 2).T
    graph = sparse.coo_array((np.ones(len(row)), (row, column)), shape=(len(names),) * 2)
    labels = sparse.csgraph.connected_components(graph, directed=False)[1] if names else []
    found: dict[int, list[str]] = {}
    for name, label in zip(names, labels, strict=True):
        found.setdefault(int(label), []).append(name)
    return list(found.values())


def _overlaps(distinct: Mapping[str, Words], fewest: int) -> dict[tuple[str, str], float]:
    names = list(distinct)
    if len(names) < 2:
        return {}
    sizes = np.array([len(own) for own in distinct.values()])
    known, key = np.unique(np.concatenate(list(distinct.values())), return_inverse=True)
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    cells: Any = (np.ones(len(key), np.int64), key, bounds)
    has = sparse.csr_array(cells, shape=(len(names), len(known)))
    common = sparse.triu(has @ has.T, k=1).tocoo()
    found = {}
    for i, j, shared in zip(common.row, common.col, common.data, strict=True):
        smaller, larger = sorted((sizes[i], sizes[j]))
        if shared == larger or (shared >= fewest and shared >= SHARE * smaller):
            found[names[i], names[j]] = float(shared / smaller)
    return found
