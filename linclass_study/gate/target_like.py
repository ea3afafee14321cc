"""Columns that are the class over again, as those are that were recorded after it or made from it.

A column is named when, over the training rows,

    copy          each class has nearly all its rows at one value, and each of these values is nearly one class's
    missing       the same of its missing cells: they alone tell one of two classes
    function      it has categories, each of one class only, and a shuffled class column would hardly ever show that:
                  of the n!/Π n_k! ways to shuffle, at most K^L are pure on L levels
    shifted       numbers whose standard deviation within each class is below 1/40 of the gap between class means

A number with a threshold between the classes is no such column: good measurements have one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import gammaln

from linclass.table import Table
from linclass_study.gate.cell_words import column

NEARLY = 0.99  # of the rows of a class, and of a value
CHANCE = 1e-6  # that shuffled classes were as pure, over all columns
GAP = 40  # standard deviations within classes between their means
FEWEST = 10  # rows
LOOK = 1000  # rows that settle most columns of numbers:
STRAYS = 20  # with so many values beyond one for each class among them, it is no copy


def target_like(table: Table, y: np.ndarray, split: np.ndarray) -> dict[str, Any]:
    """{column: how it tells the class}."""
    if split.any():
        train = np.flatnonzero(split == 0)
        table, y = table.rows(train), y[train]
    found: dict[str, str] = {}
    if len(y) >= FEWEST and y.min() < y.max():  # one class is told by every column
        for j in _worth_a_look(table, y):
            name = table.names[j]
            values = column(table, j)
            how = next(_ways(values, y, name in table.levels, len(table.names)), None)
            if how:
                found[name] = how
    return {"target_like_columns": found}


def _worth_a_look(table: Table, y: np.ndarray) -> Iterator[int]:
    """Of sparse columns those that nearly all rows of one class share and nearly none of another."""
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
    gaps = np.isnan(values)
    if gaps.any() and _is_copy(gaps.astype(np.int64), y):
        yield "missing"
    if of_categories or len(np.unique(values[:LOOK])) <= y.max() + STRAYS:
        codes = np.unique(values, return_inverse=True)[1]
        if _is_copy(codes, y):
            yield "copy"
        if of_categories and _is_function(codes, y, columns):
            yield "function"
    if not of_categories and not gaps.any() and _is_shifted(values, y):
        yield "shifted"


def _is_copy(codes: np.ndarray, y: np.ndarray) -> bool:
    """Each class has nearly all its rows at one value, and each of those values nearly one class."""
    table = _crossed(codes, y)
    main = table.argmax(axis=0)  # of each class
    if len({*main.tolist()}) < table.shape[1]:
        return False
    at_main = table[main, np.arange(table.shape[1])]
    return bool(
        (at_main >= NEARLY * table.sum(axis=0)).all()
        and (at_main >= NEARLY * table[main].sum(axis=1)).all()
    )


def _is_function(codes: np.ndarray, y: np.ndarray, columns: int) -> bool:
    table = _crossed(codes, y)
    pure = (np.count_nonzero(table, axis=1) <= 1).all()
    return bool(pure and log_chance(table.sum(axis=0), len(table)) < np.log(CHANCE / columns))


def log_chance(counts: np.ndarray, levels: int) -> float:
    """A bound of the logarithm of the share of shuffles of these classes that are pure on L levels."""
    shuffles = gammaln(counts.sum() + 1) - gammaln(counts + 1).sum()
    return float(levels * np.log(len(counts)) - shuffles)


def _is_shifted(values: np.ndarray, y: np.ndarray) -> bool:
    counts = np.bincount(y)
    means = np.bincount(y, values) / counts
    spread = np.sqrt(np.bincount(y, (values - means[y]) ** 2) / counts)
    return bool(np.diff(np.sort(means)).min() > GAP * spread.max())


def _crossed(codes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The number of rows of each value (rows) and class (columns)."""
    K = int(y.max()) + 1
    cells = np.bincount(codes * K + y, minlength=(int(codes.max()) + 1) * K)
    return cells.reshape(-1, K)
