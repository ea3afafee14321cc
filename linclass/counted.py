"""A number with its noun, for messages: 1 row, 2 rows, 1 pass, 3 passes, 1 entry, 0 entries."""

from __future__ import annotations


def counted(number: object, noun: str) -> str:
    if number == 1:
        return f"{number} {noun}"
    if noun.endswith("ry"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}es" if noun.endswith("s") else f"{number} {noun}s"
