"""All checks of one data set, and their files: facts as .json, keys of rows and proofs as .npz.

Each check is a function of the rows and returns facts under fixed keys. A check that would be too expensive, or that
fails, leaves its keys empty and records the reason under `unchecked`. Checks never exclude a data set from a study.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from linclass.base.tables import Table
from linclass_study.checks import columns, design_matrix, rows
from linclass_study.checks.design_matrix import NotChecked, design, separable_pairs
from linclass_study.data import blocks
from linclass_study.data.dataset import Dataset, load_dataset
from linclass_study.errors import first_line
from linclass_study.files.reading import read_about
from linclass_study.files.writing import write_json, write_npz

Facts = dict[str, Any]
Arrays = dict[str, np.ndarray]


def check_dataset(data: Dataset) -> tuple[Facts, Arrays]:
    """(facts, arrays): the arrays are keys of rows and columns by kind, and proofs of separability."""
    findings = _Findings()
    if data.in_file:
        names = data.table.names
        findings.of("rows", lambda: checks_of_blocks(blocks.tables(data.in_file, names), names))
        _repeated(findings, data)
        findings.unchecked["all else"] = "rows stay in their file"
    elif len(data.y):
        _in_memory(findings, data)
    return {**_sizes(data), **findings.facts, "unchecked": findings.unchecked}, findings.arrays


def misleading(data: Dataset) -> Facts:
    """What can make every result on the data set meaningless (data_warnings.serious), without the costly checks."""
    findings = _Findings()
    _find_misleading(findings, data)
    return {**_sizes(data), **findings.facts}


def _find_misleading(findings: _Findings, data: Dataset) -> None:
    table, y, split = data.table, data.y, data.split
    findings.of("numbers", lambda: columns.nearly_numeric(table))
    findings.of("dates", lambda: columns.dates(table))
    findings.of("identifiers", lambda: columns.identifiers(table, split))
    findings.of("columns like the target", lambda: columns.target_like(table, y, split))
    findings.of("columns that predict the class", lambda: columns.one_rule(table, y, split))


def _in_memory(findings: _Findings, data: Dataset) -> None:
    table, y = data.table, data.y
    findings.of("rows", lambda: ({}, rows.keys_by_kind(table)))
    _repeated(findings, data)
    findings.of("missing values", lambda: columns.missing_cells(table))
    findings.of("constant columns", lambda: columns.constant_columns(table))
    findings.of("duplicated columns", lambda: columns.duplicated_columns(table))
    _find_misleading(findings, data)
    try:
        X = design(table)
    except NotChecked as reason:
        findings.unchecked["rank and separability"] = str(reason)
        return
    findings.facts["design_columns"] = int(X.shape[1])
    findings.of("rank", lambda: design_matrix.rank(X))
    findings.of("separability", lambda: separable_pairs(X, y, data.classes))


def _repeated(findings: _Findings, data: Dataset) -> None:
    """Checks that use the keys of the rows, if there are any."""
    keys = findings.arrays.get("rows_by_name")
    if keys is not None:
        findings.facts["features_digest"] = rows.features_digest(keys)
        findings.of("repeated rows", lambda: rows.repeated_rows(keys, data.y))
        findings.of(
            "rows of other groups", lambda: rows.rows_across_groups(keys, data.y, data.groups)
        )
        findings.of("the official split", lambda: rows.rows_on_both_sides(keys, data.split))


class _Findings:
    """Results of the checks, and reasons why some were not made."""

    def __init__(self) -> None:
        self.facts: Facts = {}
        self.arrays: Arrays = {}
        self.unchecked: dict[str, str] = {}

    def of(self, name: str, run: Callable[[], Facts | tuple[Facts, Arrays]]) -> None:
        try:
            result = run()
        except NotChecked as reason:
            self.unchecked[name] = str(reason)
        except Exception as error:  # a failed check must not end the study
            self.unchecked[name] = first_line(error)
        else:
            facts, arrays = result if isinstance(result, tuple) else (result, {})
            self.facts |= facts
            self.arrays |= arrays


def _sizes(data: Dataset) -> Facts:
    counts = np.bincount(data.y, minlength=len(data.classes)).tolist()
    return {
        "rows": len(data.y),
        "test_rows": int(data.split.sum()),
        "features": int(data.table.shape[1]),
        **columns.kinds(data.table),
        "sparse": data.table.is_sparse and not data.in_file,
        "classes": dict(zip(data.classes, counts, strict=True)),
        "digest": data.digest,
        "source": data.source,
    }


# Checks of rows that stay in their file, in one pass: row and column keys, missing, constant and duplicated columns.
#
# Memory holds one key per row; other checks need the rows themselves.


def checks_of_blocks(
    tables: Iterable[Table], names: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(facts, keys by kind) of all rows, read block by block; there is at least one block."""
    parts: list[dict[str, rows.Words]] = []
    gaps = np.zeros(len(names), np.int64)
    low, high = np.full((2, len(names)), np.nan)
    contents = [hashlib.blake2b(digest_size=16) for _ in names]
    for table in tables:
        parts.append(rows.keys_by_kind(table))
        gaps += np.isnan(table.X).sum(axis=0)
        low = np.fmin(low, np.fmin.reduce(table.X, axis=0))
        high = np.fmax(high, np.fmax.reduce(table.X, axis=0))
        for content, column in zip(contents, rows.words_of_numbers(table.X).T, strict=True):
            content.update(np.ascontiguousarray(column).data)
    varies = low < high
    digests = (content.digest() for content in contents)
    facts = {
        **columns.missing_facts(names, gaps),
        **columns.constant_facts(names, varies),
        **columns.duplicated_facts(names, digests, varies),
    }
    of_rows = {kind: np.concatenate([keys[kind] for keys in parts]) for kind in rows.KINDS[:2]}
    of_columns = np.sum([keys["columns_by_name"] for keys in parts], axis=0, dtype=np.uint64)
    return facts, {**of_rows, "columns_by_name": of_columns}


def write_checks(
    data: str, about: str, metadata: Mapping[str, Any], facts: str, arrays: str
) -> None:
    """Check the data set in `data` (.npz) and `about` (.json); `metadata` is that of its entry."""
    record = read_about(about)
    checked, arrays_by_name = check_dataset(load_dataset(data))
    content = {"status": record["status"], "reason": record["reason"], **checked, **metadata}
    write_json(facts, content)
    write_npz(arrays, arrays_by_name, compressed=True)
