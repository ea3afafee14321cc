"""Columns that identify rows instead of describing them, such as row numbers.

A categorical column is an identifier if nearly every row has a level of its own. An integer column is one if its values
hardly repeat although chance repetitions are expected: n values from a range of m values have about n²/2m equal pairs.
Measurements repeat, or their range is so wide that no repetitions are expected; in the latter case the name of the
column must contain `id`. Columns with fractional numbers are never identifiers.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from linclass.base.tables import Table

LEVELS = 0.9  # minimal number of levels, as a share of the rows
FEWEST = 10  # rows; fewer may be distinct by chance
EXPECTED = 20  # equal pairs that must be expected before their absence counts
SEEN = 0.1  # maximal share of the expected pairs
LOOK = 1000  # rows that decide about most columns
NAMES = {"id", "ids", "identifier", "uid", "uuid", "guid"}


def identifiers(table: Table, split: np.ndarray) -> dict[str, Any]:
    """{column: [levels, rows]} over the training rows, as a test set may restart its numbering."""
    if split.any():
        table = table.rows(np.flatnonzero(split == 0))
    n = table.shape[0]
    found = {}
    for j in _worth_a_look(table, n):
        name = table.names[j]
        values = table.column(j)
        values = values[~np.isnan(values)]
        if len(values) < FEWEST or name in table.texts:
            continue
        levels = len(np.unique(values))
        of_categories = name in table.levels
        if levels >= LEVELS * len(values) and (of_categories or _numbers_rows(name, values)):
            found[name] = [levels, len(values)]
    return {"identifier_columns": found}


def _worth_a_look(table: Table, n: int) -> np.ndarray:
    """Candidate columns, by their first rows or, in sparse tables, by their number of values."""
    if table.is_sparse:
        return np.flatnonzero(
            np.bincount(table.X.indices, minlength=len(table.names)) >= LEVELS * n
        )
    first = table.X[:LOOK]
    whole = (np.isnan(first) | (first == np.floor(first))).all(axis=0)
    return np.flatnonzero(whole)


def _numbers_rows(name: str, values: np.ndarray) -> bool:
    if not (values == np.floor(values)).all():
        return False
    values = np.sort(values)
    gaps = np.diff(values)
    step = np.gcd.reduce(gaps[gaps > 0].astype(np.uint64)) if values[-1] < 2.0**53 else 1
    places = (values[-1] - values[0]) / max(int(step), 1) + 1
    expected = len(values) ** 2 / 2 / places
    equal = np.count_nonzero(gaps == 0)
    if expected >= min(EXPECTED, 0.4 * len(values)):
        return bool(equal <= SEEN * expected)
    return bool(NAMES & {*re.split(r"[^a-z]+", _apart(name))})


def _apart(name: str) -> str:
    """customerId and CUSTOMER_ID as customer id."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
