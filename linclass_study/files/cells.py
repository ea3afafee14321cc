"""Numbers in cells of text: which texts are numbers, and columns that are numbers but for a few cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

FEWEST = 10  # numbers among the levels; fewer may be names, such as grades
OTHERS = 0.1  # maximal share of the levels that are not numbers
# marks of thousands, of a currency or of per cent
MARKS = re.compile(r"(?<=\d)[.,'’\s](?=\d{3}(?!\d))|^[$€£]\s*|\s*[%$€£]$")


def plain_number(value: Any) -> float | None:
    """The finite number that a label or a cell stands for; else None."""
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    finite = number == number and abs(number) != float("inf") and "_" not in str(value)
    return number if finite else None


def stray_levels(levels: Sequence[str]) -> list[str]:
    """The levels that alone keep a column from being numbers; none if it is one of names. Numbers with a decimal comma
    are among them unless words, or numbers with other marks, are, which have to be corrected first."""

    def few(some: list[str]) -> bool:
        return len(levels) - len(some) >= FEWEST and len(some) <= OTHERS * len(levels)

    others = [level for level in levels if plain_number(level) is None]
    if few(others):
        return others
    words = [level for level in others if not has_decimal_comma(level)]
    decimal = few(words) and not any("," in word for word in words)  # not of thousands
    bare = (MARKS.sub("", level).replace(",", ".").replace("−", "-") for level in others)
    decimal = decimal or few([text for text in bare if plain_number(text) is None])
    return (words or others) if decimal else []


def may_mark_thousands(levels: Sequence[str]) -> bool:
    """Whether three digits follow the last comma of each level, as in 1,054."""
    return all(level[-4:-3] == "," for level in levels)


def has_decimal_comma(level: str) -> bool:
    """Whether a level is a number if its only comma is a decimal mark."""
    return level.count(",") == 1 and plain_number(level.replace(",", ".")) is not None
