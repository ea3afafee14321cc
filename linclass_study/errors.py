"""Errors in the user's input: one line with the thing, its value and the remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from linclass.base.suggestions import near_names


class StudyError(ValueError):
    """A study, or a part of it, cannot run as written."""


def printable(text: str) -> str:
    """Text from files for a terminal: control characters, which could steer it, as escapes."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def collect_errors(*steps: Callable[[], Any]) -> list[Any]:
    """What the steps return, none of which needs another; the lines of all that are refused."""
    found, lines = [], []
    for step in steps:
        try:
            found.append(step())
        except StudyError as refused:
            lines.append(str(refused))
    if lines:
        raise StudyError("\n".join(lines))
    return found


def suggest_name(name: object, valid: Iterable[str]) -> str:
    """Remedy for an unknown name: the nearest valid name, or all valid names if none is near."""
    names = sorted(map(str, valid))
    if near := near_names(name, names):
        return f"did you mean '{near[0]}'?"
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return f"there are: {shown}" if names else "there are none"
