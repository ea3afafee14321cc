"""Numbers and names in messages: 1 row, 2 rows, 1 pass, 3 passes, 0 entries; iris, wine and 3 more."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: object, noun: str) -> str:
    """A number with its noun: 1 row, 1,234 rows. It may be written already, as 'no'."""
    number = f"{number:,}" if isinstance(number, int) else number
    if str(number) == "1":
        return f"{number} {noun}"
    if noun.endswith("ry"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}es" if noun.endswith("s") else f"{number} {noun}s"


def counted_have(number: int, noun: str) -> str:
    """1 row has, 2 rows have."""
    return f"{counted(number, noun)} {'has' if number == 1 else 'have'}"


def first_names(names: Sequence[str], most: int, total: int | None = None) -> str:
    """The first `most` names, and how many more there are; `total` is the number of all, if some are not given."""
    more = (len(names) if total is None else total) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def names_and_others(names: Sequence[str], most: int, last: str = "and") -> str:
    """In a sentence: iris; iris and wine; iris, wine and 3 others. A single other is named, too."""
    shown = [*names]
    if len(shown) > most + 1:
        shown[most:] = [f"{len(names) - most} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"
