"""All checks of one data set. Each check is a function of the rows and returns facts under fixed keys.

A check that would be too expensive, or that fails, leaves its keys empty and records the reason under `unchecked`.
Checks never exclude a data set from a study.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linclass_study.checks import (
    block_checks,
    column_checks,
    dates,
    identifiers,
    one_rule,
    rank,
    row_keys,
    rows,
)
from linclass_study.checks.column_checks import constant_columns, missing_cells
from linclass_study.checks.design import NotChecked, design
from linclass_study.checks.nearly_numeric import nearly_numeric
from linclass_study.checks.separable import separable_pairs
from linclass_study.checks.target_like import target_like
from linclass_study.data import blocks
from linclass_study.data.dataset import Dataset
from linclass_study.data.unavailable import first_line

Facts = dict[str, Any]
Arrays = dict[str, np.ndarray]


def check_dataset(data: Dataset) -> tuple[Facts, Arrays]:
    """(facts, arrays): the arrays are keys of rows and columns by kind, and proofs of separability."""
    found = _Findings()
    if data.in_file:
        _by_blocks(found, data)
    elif len(data.y):
        _in_memory(found, data)
    return {**_sizes(data), **found.facts, "unchecked": found.unchecked}, found.arrays


def misleading(data: Dataset) -> Facts:
    """What can make every result on the data set meaningless (findings.serious), without the costly checks."""
    found = _Findings()
    _misleading(found, data)
    return {**_sizes(data), **found.facts}


def _misleading(found: _Findings, data: Dataset) -> None:
    table, y, split = data.table, data.y, data.split
    found.of("numbers", lambda: nearly_numeric(table))
    found.of("dates", lambda: dates.dates(table))
    found.of("identifiers", lambda: identifiers.identifiers(table, split))
    found.of("columns like the target", lambda: target_like(table, y, split))
    found.of("columns that predict the class", lambda: one_rule.one_rule(table, y, split))


def _in_memory(found: _Findings, data: Dataset) -> None:
    table, y = data.table, data.y
    found.of("rows", lambda: ({}, row_keys.by_kind(table)))
    _repeated(found, data)
    found.of("missing values", lambda: missing_cells(table))
    found.of("constant columns", lambda: constant_columns(table))
    found.of("duplicated columns", lambda: column_checks.duplicated(table))
    _misleading(found, data)
    try:
        X = design(table)
    except NotChecked as reason:
        found.unchecked["rank and separability"] = str(reason)
        return
    found.facts["design_columns"] = int(X.shape[1])
    found.of("rank", lambda: rank.rank(X))
    found.of("separability", lambda: separable_pairs(X, y, data.classes))


def _by_blocks(found: _Findings, data: Dataset) -> None:
    names = data.table.names
    found.of("rows", lambda: block_checks.of_blocks(blocks.tables(data.in_file, names), names))
    _repeated(found, data)
    found.unchecked["all else"] = "rows stay in their file"


def _repeated(found: _Findings, data: Dataset) -> None:
    """Checks that use the keys of the rows, if there are any."""
    own = found.arrays.get("rows_by_name")
    if own is not None:
        found.facts["features_digest"] = row_keys.features_digest(own)
        found.of("repeated rows", lambda: rows.repeated(own, data.y))
        found.of("rows of other groups", lambda: rows.across_groups(own, data.y, data.groups))
        found.of("the official split", lambda: rows.on_both_sides(own, data.split))


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
        **column_checks.kinds(data.table),
        "sparse": data.table.is_sparse and not data.in_file,
        "classes": dict(zip(data.classes, counts, strict=True)),
        "digest": data.digest,
        "source": data.source,
    }
