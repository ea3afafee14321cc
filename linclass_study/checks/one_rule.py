"""Columns that alone predict nearly every class: recorded after it, perhaps, or good measurements.

A numeric column is divided into intervals of equally many rows; each interval, each level of a categorical column and
the missing cells are given their most frequent class. A column is reported if that is right in 97 % of the training
rows, and if its errors are at most a tenth of those of the most frequent class of all.

     Holte (1993), Very simple classification rules perform well on most commonly used datasets. Machine Learning 11
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.tables import Table
from linclass_study.checks.design import NotChecked

RIGHT = 0.97  # minimal share of the rows
ERRORS = 0.1  # maximal errors, as a share of those of the most frequent class
PER_VALUE = 5  # rows of an interval or a level on average; fewer are easily of one class
MOST = 100  # intervals
CELLS = 2e7  # of a table that is examined, a few seconds


def one_rule(table: Table, y: np.ndarray, split: np.ndarray) -> dict[str, Any]:
    """{column: [share of rows that it alone predicts, share of the most frequent class]}."""
    if table.is_sparse:
        raise NotChecked("the table is sparse")
    if table.X.size > CELLS:
        raise NotChecked(f"more than {CELLS:,.0f} cells")
    train = np.flatnonzero(split == 0)
    X, y = (table.X[train], y[train]) if len(train) < len(y) else (table.X, y)
    n, found = len(y), {}
    most = np.bincount(y).max() if n else 0
    for name, values in zip(table.names, X.T, strict=True):
        if name in table.texts:
            continue
        codes = _intervals(values) if name not in table.levels else values
        codes = np.unique(codes, return_inverse=True)[1]
        if (int(codes.max(initial=0)) + 1) * PER_VALUE > n:
            continue
        right = _right(codes, y)
        if right >= RIGHT * n and n - right <= ERRORS * (n - most):
            found[name] = [round(right / n, 4), round(most / n, 4)]
    return {"one_rule_columns": found}


def _intervals(values: np.ndarray) -> np.ndarray:
    """The interval of each value; missing ones are NaN."""
    known = ~np.isnan(values)
    count = min(len(values) // PER_VALUE - 1, MOST)  # and the missing cells
    if count < 2 or not known.any():
        return np.zeros(len(values))
    ends = np.unique(np.quantile(values[known], np.arange(1, count) / count))
    return np.where(known, np.searchsorted(ends, values), np.nan)


def _right(codes: np.ndarray, y: np.ndarray) -> int:
    K = int(y.max()) + 1
    counts = np.bincount(codes * K + y, minlength=(int(codes.max()) + 1) * K)
    return int(counts.reshape(-1, K).max(axis=1).sum())
