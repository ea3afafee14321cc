"""Checks of single columns: missing cells, constant and duplicated columns, texts that are nearly numbers, dates,
identifiers of rows, and columns that reveal the class or predict it alone (docs/checks.md).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from linclass.base.tables import Table
from linclass_study.checks import rows
from linclass_study.checks.design_matrix import NotChecked
from linclass_study.files.cells import stray_levels

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


def duplicated_columns(table: Table) -> dict[str, Any]:
    """Columns that equal an earlier one in every row, up to names of columns and levels; constant ones are excluded."""
    return duplicated_facts(table.names, _column_hashes(table), _varies(table.X))


def missing_facts(names: Sequence[str], counts: np.ndarray) -> dict[str, Any]:
    most = np.argsort(-counts, kind="stable")[: min(NAMED, np.count_nonzero(counts))]
    return {
        "missing_values": int(counts.sum()),
        "missing_by_column": {names[j]: int(counts[j]) for j in most.tolist()},
    }


def constant_facts(names: Sequence[str], varies: np.ndarray) -> dict[str, Any]:
    constant = [names[j] for j in np.flatnonzero(~varies).tolist()]
    return {"constant_columns": len(constant), "constant_column_names": constant[:NAMED]}


def duplicated_facts(
    names: Sequence[str], contents: Iterable[bytes], varies: np.ndarray
) -> dict[str, Any]:
    first: dict[bytes, str] = {}
    copies = {}
    for name, content, is_varying in zip(names, contents, varies, strict=True):
        if is_varying and (original := first.setdefault(content, name)) != name:
            copies[name] = original
    shown = dict(list(copies.items())[:NAMED])
    return {"duplicated_columns": len(copies), "duplicated_column_of": shown}


def _varies(X: Any) -> np.ndarray:
    """Mask of columns with at least two distinct values."""
    if sparse.issparse(X):
        return (X.nanmin(axis=0) < X.nanmax(axis=0)).toarray().ravel()
    return np.fmin.reduce(X, axis=0) < np.fmax.reduce(X, axis=0)


def _column_hashes(table: Table) -> Iterator[bytes]:
    """Hash of each column; levels are numbered in the order of their first rows."""
    X = table.X.tocsc() if table.is_sparse else table.X
    for j, name in enumerate(table.names):
        if name in table.levels:
            codes = np.nan_to_num(table.column(j), nan=-1)  # from 1, by first rows; 0 is missing
            levels, first, place = np.unique(codes, return_index=True, return_inverse=True)
            first[levels < 0] = -1
            number = np.argsort(np.argsort(first)) + (levels[:1] >= 0)
            kind, parts = b"levels", [number[place]]
        elif table.is_sparse:
            stored = slice(X.indptr[j], X.indptr[j + 1])
            kind, parts = b"numbers", [X.indices[stored], rows.words_of_numbers(X.data[stored])]
        else:
            kind, parts = b"numbers", [rows.words_of_numbers(X[:, j])]
        total = hashlib.blake2b(kind, digest_size=16)
        for part in parts:
            total.update(np.ascontiguousarray(part).data)
        yield total.digest()


# Columns of numbers with a few other values, such as '12k', or with decimal commas: they become categorical.

SHOWN = 3  # levels that are not numbers


def nearly_numeric(table: Table) -> dict[str, Any]:
    """{column: [levels that are numbers, levels that are not, the first of these]}."""
    columns = {
        name: [len(levels) - len(others), len(others), others[:SHOWN]]
        for name, levels in table.levels.items()
        if (others := stray_levels(levels))
    }
    return {"nearly_numeric_columns": columns}


# Columns of dates: as text, such as 2024-03-01 or 1 Mar 2024 10:30, or as whole numbers, such as 20240301.
#
# One-hot encoding makes a feature of each date, and the differences of such numbers are not days: either way most
# methods learn nothing that holds for another date.

FEW_DATES = 10  # different dates; fewer may be categories, such as days of sampling
# minimal share of the levels that are dates; the others may be words for a missing date
DATES = 0.9
YEARS = 1800, 2199  # of dates that are written as numbers
MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
TIME = r"(?:[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:[ap]m)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?)?"
FORMS = (
    r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})",
    r"(?P<day>\d{1,2})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})",
    rf"\d{{1,2}}(?:st|nd|rd|th)?[-/. ]*{MONTH}[-/., ]*(?:\d{{4}}|\d{{2}})",
    rf"{MONTH}[. ]*\d{{1,2}}(?:st|nd|rd|th)?,? *\d{{4}}",
)
PATTERNS = [re.compile(form + TIME, re.IGNORECASE) for form in FORMS]


def dates(table: Table) -> dict[str, Any]:
    """{column: [different dates, the first of them]}."""
    date_columns = {}
    for name, levels in table.levels.items():
        if name in table.texts or len(levels) < FEW_DATES:
            continue
        dates_of_column = [level for level in levels if is_date(level)]
        if len(dates_of_column) >= max(FEW_DATES, DATES * len(levels)):
            date_columns[name] = [len(dates_of_column), dates_of_column[0]]
    for name, column in () if table.is_sparse else zip(table.names, table.X.T, strict=True):
        if name in table.levels or not len(column):
            continue
        least, greatest = np.fmin.reduce(column), np.fmax.reduce(column)
        if least < YEARS[0] * 10_000 or greatest >= (YEARS[1] + 1) * 10_000:
            continue
        values = np.unique(column[~np.isnan(column)])
        day, month = values % 100, values // 100 % 100
        are_days = (values == np.floor(values)) & (day >= 1) & (day <= 31)
        if len(values) >= FEW_DATES and (are_days & (month >= 1) & (month <= 12)).all():
            date_columns[name] = [len(values), f"{values[0]:.0f}"]
    return {"date_columns": date_columns}


def is_date(text: str) -> bool:
    """Whether text is a day of the calendar, with or without a time; of two numbers either may be the month."""
    for pattern in PATTERNS:
        parts = pattern.fullmatch(text.strip())
        if parts is None:
            continue
        groups = parts.groupdict()
        if "month" not in groups:
            return True
        small, large = sorted((int(groups["month"]), int(groups["day"])))
        return 1 <= small <= 12 and large <= 31
    return False


# Columns that identify rows instead of describing them, such as row numbers.
#
# A categorical column is an identifier if nearly every row has a level of its own. An integer column is one if its
# values hardly repeat although chance repetitions are expected: n values from a range of m values have about n²/2m
# equal pairs. Measurements repeat, or their range is so wide that no repetitions are expected; in the latter case the
# name of the column must contain `id`. Columns with fractional numbers are never identifiers.

LEVELS = 0.9  # minimal number of levels, as a share of the rows
FEW_ROWS = 10  # rows; fewer may be distinct by chance
EXPECTED = 20  # equal pairs that must be expected before their absence counts
SEEN = 0.1  # maximal share of the expected pairs
LOOK = 1000  # rows that decide about most columns
NAMES = {"id", "ids", "identifier", "uid", "uuid", "guid"}


def identifiers(table: Table, split: np.ndarray) -> dict[str, Any]:
    """{column: [levels, rows]} over the training rows, as a test set may restart its numbering."""
    if split.any():
        table = table.rows(np.flatnonzero(split == 0))
    if table.is_sparse:
        counts = np.bincount(table.X.indices, minlength=len(table.names))
        candidates = np.flatnonzero(counts >= LEVELS * table.shape[0])
    else:
        first = table.X[:LOOK]
        candidates = np.flatnonzero((np.isnan(first) | (first == np.floor(first))).all(axis=0))
    identifier_columns = {}
    for j in candidates.tolist():
        name = table.names[j]
        values = table.column(j)
        values = values[~np.isnan(values)]
        if len(values) < FEW_ROWS or name in table.texts:
            continue
        levels = len(np.unique(values))
        if levels >= LEVELS * len(values) and (
            name in table.levels or _is_row_number(name, values)
        ):
            identifier_columns[name] = [levels, len(values)]
    return {"identifier_columns": identifier_columns}


def _is_row_number(name: str, values: np.ndarray) -> bool:
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
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()  # customerId and CUSTOMER_ID alike
    return bool(NAMES & {*re.split(r"[^a-z]+", apart)})


# Columns that reveal the class (target leakage), such as columns recorded after it or derived from it.
#
# A column is reported if, over the training rows, it is a
#
#     copy          nearly all rows of each class share one value, and nearly all rows with that value are of the class
#     missing       the same for its missing cells: whether the cell is missing reveals the class
#     function      a categorical column whose levels occur in one class each, which is improbable for shuffled classes:
#                   of the n!/Π n_k! permutations, at most K^L are pure on L levels
#     shifted       numbers whose standard deviation within each class is below 1/40 of the gap between class means
#
# Copies and missing cells are reported only where shuffled classes would hardly have them: a column of two values may
# agree with ten rows by chance.
#
# A numeric column with a threshold between the classes is not reported: good measurements have one.

NEARLY = 0.99  # share of the rows of a class, and of a value
CHANCE = 1e-6  # maximal probability that shuffled classes are as pure, over all columns
OF_FEW = 0.01  # the same of copies: with one column, twelve rows are enough
GAP = 40  # minimal distance of class means, in standard deviations within classes
FEWEST = 10  # rows
STRAYS = 20  # with so many further values among them, a column is not a copy


def target_like(table: Table, y: np.ndarray, split: np.ndarray) -> dict[str, Any]:
    """{column: how it reveals the class}."""
    if split.any():
        train = np.flatnonzero(split == 0)
        table, y = table.rows(train), y[train]
    how_revealing: dict[str, str] = {}
    repeated = np.count_nonzero(np.bincount(y) > 1)  # every column reveals classes of one row
    if len(y) >= FEWEST and repeated > 1:
        for j in _candidates(table, y):
            name = table.names[j]
            values = table.column(j)
            how = next(_kinds_of_leakage(values, y, name in table.levels, len(table.names)), None)
            if how:
                how_revealing[name] = how
    return {"target_like_columns": how_revealing}


def _candidates(table: Table, y: np.ndarray) -> Iterator[int]:
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


def _kinds_of_leakage(
    values: np.ndarray, y: np.ndarray, of_categories: bool, columns: int
) -> Iterator[str]:
    gaps, counts = np.isnan(values), np.bincount(y)
    surprising = log_chance(counts, len(counts)) < np.log(OF_FEW / columns)
    if gaps.any() and surprising and _is_copy(gaps.astype(np.int64), y):
        yield "missing"
    if of_categories or len(np.unique(values[:LOOK])) <= y.max() + STRAYS:
        codes = np.unique(values, return_inverse=True)[1]
        if surprising and _is_copy(codes, y):
            yield "copy"
        if of_categories:
            table = _contingency_table(codes, y)
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
    table = _contingency_table(codes, y)
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


def _contingency_table(codes: np.ndarray, y: np.ndarray) -> np.ndarray:
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
MAX_INTERVALS = 100  # intervals
CELLS = 2e7  # of a table that is examined, a few seconds


def one_rule(table: Table, y: np.ndarray, split: np.ndarray) -> dict[str, Any]:
    """{column: [share of rows that it alone predicts, share of the most frequent class]}."""
    if table.is_sparse:
        raise NotChecked("the table is sparse")
    if table.X.size > CELLS:
        raise NotChecked(f"more than {CELLS:,.0f} cells")
    train = np.flatnonzero(split == 0)
    X, y = (table.X[train], y[train]) if len(train) < len(y) else (table.X, y)
    n, predicting_columns = len(y), {}
    most = np.bincount(y).max() if n else 0
    for name, values in zip(table.names, X.T, strict=True):
        if name in table.texts:
            continue
        codes = values if name in table.levels else _intervals(values)
        codes = np.unique(codes, return_inverse=True)[1]
        if (int(codes.max(initial=0)) + 1) * PER_VALUE > n:
            continue
        right = int(_contingency_table(codes, y).max(axis=1).sum())
        if right >= RIGHT * n and n - right <= ERRORS * (n - most):
            predicting_columns[name] = [round(right / n, 4), round(most / n, 4)]
    return {"one_rule_columns": predicting_columns}


def _intervals(values: np.ndarray) -> np.ndarray:
    """The interval of each value; missing ones are NaN."""
    is_present = ~np.isnan(values)
    count = min(len(values) // PER_VALUE - 1, MAX_INTERVALS)  # and the missing cells
    if count < 2 or not is_present.any():
        return np.zeros(len(values))
    ends = np.unique(np.quantile(values[is_present], np.arange(1, count) / count))
    return np.where(is_present, np.searchsorted(ends, values), np.nan)
