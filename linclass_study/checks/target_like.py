"""Columns that reveal the class (target leakage), such as columns recorded after it or derived from it.

A column is reported if, over the training rows, it is a

    copy          nearly all rows of each class share one value, and nearly all rows with that value are of the class
    missing       the same for its missing cells: whether the cell is missing reveals the class
    function      a categorical column whose levels occur in one class each, which is improbable for shuffled classes:
                  of the n!/Π n_k! permutations, at most K^L are pure on L levels
    shifted       numbers whose standard deviation within each class is below 1/40 of the gap between class means

Copies and missing cells are reported only where shuffled classes would hardly have them: a column of two values may
agree with ten rows by chance.

A numeric column with a threshold between the classes is not reported: good measurements have one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import gammaln

from linclass.base.tables import Table
from linclass_study.checks.geometry import NotChecked

NEARLY = 0.99  # share of the rows of a class, and of a value
CHANCE = 1e-6  # maximal probability that shuffled classes are as pure, over all columns
OF_FEW = 0.01  # the same of copies: with one column, twelve rows are enough
GAP = 40  # minimal distance of class means, in standard deviations within classes
FEWEST = 10  # rows
LOOK = 1000  # rows that decide about most numeric columns:
STRAYS = 20  # with so many further values among them, a column is not a copy


def target_like(table: Table, y: np.ndarray, split: np.ndarray) -> dict[str, Any]:
    """{column: how it reveals the class}."""
    if split.any():
        train = np.flatnonzero(split == 0)
        table, y = table.rows(train), y[train]
    found: dict[str, str] = {}
    repeated = np.count_nonzero(np.bincount(y) > 1)  # every column reveals classes of one row
    if len(y) >= FEWEST and repeated > 1:
        for j in _worth_a_look(table, y):
            name = table.names[j]
            values = table.column(j)
            how = next(_ways(values, y, name in table.levels, len(table.names)), None)
            if how:
                found[name] = how
    return {"target_like_columns": found}


def _worth_a_look(table: Table, y: np.ndarray) -> Iterator[int]:
    """Candidate columns; in sparse tables, those that nearly all rows of one class share and hardly any of another."""
    texts = {table.names.index(name) for name in table.texts}
    if not table.is_sparse:
        yield from (j for j in range(len(table.names)) if j not in texts)
        return
    d, counts = len(table.names), np.bincount(y)
    stored = np.bincount(
        np.repeat(y, np.diff(table.X.indptr)) * d + table.X.indices, minlength=len(counts) * d
    )
    share = stored.reshape(-1, d) / counts[:, None]
    coded = {table.names.index(name) for name in table.levels}
    full, empty = (share >= NEARLY).sum(axis=0), (share <= 1 - NEARLY).sum(axis=0)
    apart = (full >= 1) & (full + empty >= len(counts))
    yield from sorted({*np.flatnonzero(apart).tolist(), *coded} - texts)


def _ways(values: np.ndarray, y: np.ndarray, of_categories: bool, columns: int) -> Iterator[str]:
    gaps, counts = np.isnan(values), np.bincount(y)
    surprising = log_chance(counts, len(counts)) < np.log(OF_FEW / columns)
    if gaps.any() and surprising and _is_copy(gaps.astype(np.int64), y):
        yield "missing"
    if of_categories or len(np.unique(values[:LOOK])) <= y.max() + STRAYS:
        codes = np.unique(values, return_inverse=True)[1]
        if surprising and _is_copy(codes, y):
            yield "copy"
        if of_categories:
            table = _crossed(codes, y)
            pure = (np.count_nonzero(table, axis=1) <= 1).all()
            if pure and log_chance(counts, len(table)) < np.log(CHANCE / columns):
                yield "function"
    measured = surprising or len(np.unique(values)) > len(counts)  # else it is a copy
    if not of_categories and not gaps.any() and measured:
        means = np.bincount(y, values) / counts
        spread = np.sqrt(np.bincount(y, (values - means[y]) ** 2) / counts)
        if np.diff(np.sort(means)).min() > GAP * spread.max():
            yield "shifted"


def _is_copy(codes: np.ndarray, y: np.ndarray) -> bool:
    """Whether nearly all rows of each class share one value, and nearly all rows with it are of that class."""
    table = _crossed(codes, y)
    main = table.argmax(axis=0)  # most frequent value of each class
    if len({*main.tolist()}) < table.shape[1]:
        return False
    at_main = table[main, np.arange(table.shape[1])]
    return bool(
        (at_main >= NEARLY * table.sum(axis=0)).all()
        and (at_main >= NEARLY * table[main].sum(axis=1)).all()
    )


def log_chance(counts: np.ndarray, levels: int) -> float:
    """Upper bound of the log-probability that shuffled classes are pure on L levels."""
    shuffles = gammaln(counts.sum() + 1) - gammaln(counts + 1).sum()
    return float(levels * np.log(len(counts)) - shuffles)


def _crossed(codes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Cross table: number of rows of each value (rows) and class (columns)."""
    K = int(y.max()) + 1
    cells = np.bincount(codes * K + y, minlength=(int(codes.max()) + 1) * K)
    return cells.reshape(-1, K)


# Columns that alone predict nearly every class: recorded after it, perhaps, or good measurements.
#
# A numeric column is divided into intervals of equally many rows; each interval, each level of a categorical column
# and the missing cells are given their most frequent class. A column is reported if that is right in 97 % of the
# training rows, and if its errors are at most a tenth of those of the most frequent class of all.
#
#      Holte (1993), Very simple classification rules perform well on most commonly used datasets. Machine Learning 11

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
        codes = values if name in table.levels else _intervals(values)
        codes = np.unique(codes, return_inverse=True)[1]
        if (int(codes.max(initial=0)) + 1) * PER_VALUE > n:
            continue
        right = int(_crossed(codes, y).max(axis=1).sum())
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
