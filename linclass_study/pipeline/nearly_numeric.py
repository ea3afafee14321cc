"""Levels of a column that are numbers but for a few cells, such as '12k', or for decimal commas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

FEWEST = 10  # numbers among the levels; fewer may be names, such as grades
OTHERS = 0.1  # maximal share of the levels that are no numbers


def stray_levels(levels: Sequence[str]) -> list[str]:
    """The levels that alone keep a column from being numbers; none if it is one of names."""
    others = [level for level in levels if not _is_number(level)]
    few = len(levels) - len(others) >= FEWEST and len(others) <= OTHERS * len(levels)
    commas = len(levels) >= FEWEST and all(map(has_decimal_comma, others))
    return others if few or commas else []


def has_decimal_comma(level: str) -> bool:
    """Whether it is a number if its one comma is a decimal mark."""
    return level.count(",") == 1 and _is_number(level.replace(",", "."))


def _is_number(level: str) -> bool:
    try:
        return bool(np.isfinite(float(level)))
    except ValueError:
        return False
