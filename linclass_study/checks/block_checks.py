"""Checks of rows that stay in their file, in one pass: row and column keys, missing, constant and duplicated columns.

Memory holds one key per row; other checks need the rows themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from linclass.base.tables import Table
from linclass_study.checks import cell_words, column_checks, row_keys


def of_blocks(
    tables: Iterable[Table], names: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(facts, keys by kind) of all rows, read block by block; there is at least one block."""
    parts: list[dict[str, cell_words.Words]] = []
    gaps = np.zeros(len(names), np.int64)
    low, high = np.full((2, len(names)), np.nan)
    contents = [hashlib.blake2b(digest_size=16) for _ in names]
    for table in tables:
        parts.append(row_keys.by_kind(table))
        gaps += np.isnan(table.X).sum(axis=0)
        low = np.fmin(low, np.fmin.reduce(table.X, axis=0))
        high = np.fmax(high, np.fmax.reduce(table.X, axis=0))
        for content, column in zip(contents, cell_words.of_numbers(table.X).T, strict=True):
            content.update(np.ascontiguousarray(column).data)
    varies = low < high
    digests = (content.digest() for content in contents)
    facts = {
        **column_checks.missing_facts(names, gaps),
        **column_checks.constant_facts(names, varies),
        **column_checks.duplicated_facts(names, digests, varies),
    }
    of_rows = {kind: np.concatenate([own[kind] for own in parts]) for kind in row_keys.KINDS[:2]}
    of_columns = np.sum([own["columns_by_name"] for own in parts], axis=0, dtype=np.uint64)
    return facts, {**of_rows, "columns_by_name": of_columns}
