"""Columns of dates: as text, such as 2024-03-01 or 1 Mar 2024 10:30, or as whole numbers, such as 20240301.

One-hot encoding makes a feature of each date, and the differences of such numbers are not days: either way most methods
learn nothing that holds for another date.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.base.tables import Table

FEWEST = 10  # different dates; fewer may be categories, such as days of sampling
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
    found = {}
    for name, levels in table.levels.items():
        if name in table.texts or len(levels) < FEWEST:
            continue
        own = [level for level in levels if is_date(level)]
        if len(own) >= max(FEWEST, DATES * len(levels)):
            found[name] = [len(own), own[0]]
    for j in _whole_columns(table):
        values = np.unique(table.column(j))
        values = values[~np.isnan(values)]
        if len(values) >= FEWEST and _are_dates(values):
            found[table.names[j]] = [len(values), f"{values[0]:.0f}"]
    return {"date_columns": found}


def is_date(text: str) -> bool:
    """Whether text is a day of the calendar, with or without a time; of two numbers either may be the month."""
    for pattern in PATTERNS:
        parts = pattern.fullmatch(text.strip())
        if parts is None:
            continue
        named = parts.groupdict()
        if "month" not in named:
            return True
        small, large = sorted((int(named["month"]), int(named["day"])))
        return 1 <= small <= 12 and large <= 31
    return False


def _whole_columns(table: Table) -> Array:
    """Numeric columns of a dense table whose smallest and largest values are such numbers."""
    if table.is_sparse or not len(table.X):
        return np.empty(0, int)
    low, high = np.fmin.reduce(table.X, axis=0), np.fmax.reduce(table.X, axis=0)
    possible = (low >= YEARS[0] * 10_000) & (high < (YEARS[1] + 1) * 10_000)
    categorical = np.isin(table.names, list(table.levels))
    return np.flatnonzero(possible & ~categorical)


def _are_dates(values: Array) -> bool:
    day, month = values % 100, values // 100 % 100
    whole = values == np.floor(values)
    return bool((whole & (day >= 1) & (day <= 31) & (month >= 1) & (month <= 12)).all())
