"""Columns of numbers with a few other values, such as '12k', or with decimal commas: they become categorical."""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.table import Table

FEWEST = 10  # numbers among the levels; fewer may be names, such as grades
OTHERS = 0.1  # maximal share of the levels that are no numbers
SHOWN = 3  # of them


def nearly_numeric(table: Table) -> dict[str, Any]:
    """{column: [levels that are numbers, levels that are not, the first of these]}."""
    found = {}
    for name, levels in table.levels.items():
        others = [level for level in levels if not _is_number(level)]
        numbers = len(levels) - len(others)
        few = numbers >= FEWEST and len(others) <= OTHERS * len(levels)
        if others and (few or (len(levels) >= FEWEST and all(map(has_decimal_comma, others)))):
            found[name] = [numbers, len(others), others[:SHOWN]]
    return {"nearly_numeric_columns": found}


def has_decimal_comma(level: str) -> bool:
    """Whether it is a number if its one comma is a decimal mark."""
    return level.count(",") == 1 and _is_number(level.replace(",", "."))


def _is_number(level: str) -> bool:
    try:
        return bool(np.isfinite(float(level)))
    except ValueError:
        return False
