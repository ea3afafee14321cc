"""tables/datasets.csv: one row for each data set of a study.

`shares_rows_with` names data sets with the same rows, detected or declared by their entries; `weight` is 1 divided by
the size of such a group, for the reader's own averages over data sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from linclass_study.analysis.data_warnings import findings
from linclass_study.files.reading import opened_npz, read_mapping
from linclass_study.files.tables import AND, frame, table_schema, write_csv

Facts = Mapping[str, Any]
Words = np.ndarray  # keys, of uint64

KINDS = ("rows_by_name", "rows_by_value", "columns_by_name")  # of keys (checks/rows.py)
KINDS_OF_COLUMNS = ("nearly_numeric", "date", "identifier", "target_like", "one_rule")


def write_datasets_table(
    names: Iterable[str], results: Path, declared: Iterable[tuple[str, str]]
) -> None:
    """Write the table from the files of the checks; an unfinished study may have none.

    `declared` are pairs of data sets whose entries declare shared rows.
    """
    folder = results / "checks"
    checked = [name for name in names if (folder / f"{name}.json").exists()]
    facts = {name: read_mapping(folder / f"{name}.json") for name in checked}
    keys: dict[str, dict[str, Words]] = {}
    for name in checked:
        if (path := folder / f"{name}.npz").exists():  # published results have none
            with opened_npz(path) as arrays:
                keys[name] = {kind: arrays[kind] for kind in KINDS if kind in arrays}
    digests = {name: about.get("features_digest") for name, about in facts.items()}
    equal = [(a, b) for a, b in combinations(digests, 2) if digests[a] and digests[a] == digests[b]]
    related = [
        *sharing_pairs({name: words for name, words in keys.items() if words}),
        *equal,
        *declared,
    ]
    group_of = {name: group for group in related_groups(facts, related) for name in group}
    rows = [_row(name, about, group_of[name]) for name, about in facts.items()]
    write_csv(frame("datasets", rows), results / "tables" / "datasets.csv")


def _row(name: str, facts: Facts, group: list[str]) -> dict[str, Any]:
    same_columns = {column: facts.get(column) for column in table_schema("datasets")}
    counts = facts["classes"]
    suspicious = [f"{kind}_columns" for kind in KINDS_OF_COLUMNS]
    return same_columns | {
        "dataset": name,
        "classes": len(counts),
        "class_counts": AND.join(f"{label} {count}" for label, count in counts.items()),
        **{columns: AND.join(facts.get(columns) or ()) for columns in suspicious},
        "shares_rows_with": AND.join(other for other in group if other != name),
        "weight": 1 / len(group),
        "warnings": " | ".join(findings(facts)),
        "unchecked": AND.join(f"{what}: {why}" for what, why in facts["unchecked"].items()),
    }


# Detect data sets that share rows: with other classes, in part, with other column names, or with further columns.
#
# Three comparisons find them, each by keys (linclass_study/checks/rows.py):
#
#     rows_by_name     distinct rows, whatever the order of rows and columns
#     rows_by_value    the same without column names, if values alone distinguish rows (rows of words often have
#                      equally many ones without being the same row)
#     columns_by_name  columns, for data sets with equally many rows, of which some columns were dropped or added

MIN_SHARED = 0.5  # minimal share of the distinct rows, or of the columns, of the smaller data set
FEW_ROWS = 20  # fewer rows may coincide by chance, unless they are all rows
FEW_COLUMNS = 3  # likewise
DISTINCT = 0.9  # share of the distinct rows that must differ in their values alone


def sharing_pairs(keys: Mapping[str, Mapping[str, Words]]) -> dict[tuple[str, str], float]:
    """(name, name) → share of rows or columns of the smaller data set that the other contains, if large.

    keys    name of a data set → its keys by kind
    """
    by_name, by_value, columns = (
        {name: np.unique(words[kind]) for name, words in keys.items()} for kind in KINDS
    )
    distinct = {
        n: words for n, words in by_value.items() if len(words) >= DISTINCT * len(by_name[n])
    }
    overlaps_found = [_overlaps(by_name, FEW_ROWS), _overlaps(distinct, FEW_ROWS)]
    of_size: dict[int, dict[str, Words]] = {}
    for name, words in columns.items():
        rows = len(keys[name]["rows_by_name"])
        of_size.setdefault(rows, {})[name] = words[words != 0]
    overlaps_found += [_overlaps(same, FEW_COLUMNS) for same in of_size.values()]
    shares: dict[tuple[str, str], float] = {}
    for pair, share in (item for overlaps in overlaps_found for item in overlaps.items()):
        shares[pair] = max(share, shares.get(pair, 0.0))
    return shares


def related_groups(names: Iterable[str], related: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Names grouped by relation (direct or indirect), in their original order."""
    names = list(names)
    place = {name: i for i, name in enumerate(names)}
    edges = [(place[a], place[b]) for a, b in related if a in place and b in place]
    row, column = np.array(edges, int).reshape(-1, 2).T
    graph = sparse.coo_array((np.ones(len(row)), (row, column)), shape=(len(names),) * 2)
    labels = sparse.csgraph.connected_components(graph, directed=False)[1] if names else []
    groups: dict[int, list[str]] = {}
    for name, label in zip(names, labels, strict=True):
        groups.setdefault(int(label), []).append(name)
    return list(groups.values())


def _overlaps(distinct: Mapping[str, Words], fewest: int) -> dict[tuple[str, str], float]:
    names = list(distinct)
    if len(names) < 2:
        return {}
    sizes = np.array([len(keys) for keys in distinct.values()])
    all_keys, key = np.unique(np.concatenate(list(distinct.values())), return_inverse=True)
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    cells: Any = (np.ones(len(key), np.int64), key, bounds)
    contains = sparse.csr_array(cells, shape=(len(names), len(all_keys)))
    common = sparse.triu(contains @ contains.T, k=1).tocoo()
    shares = {}
    for i, j, shared in zip(common.row, common.col, common.data, strict=True):
        smaller, larger = sorted((sizes[i], sizes[j]))
        if shared == larger or (shared >= fewest and shared >= MIN_SHARED * smaller):
            shares[names[i], names[j]] = float(shared / smaller)
    return shares
