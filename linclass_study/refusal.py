"""Errors in the user's input: one line with the thing, its value and the remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any


class Refused(ValueError):
    """A study, or a part of it, cannot run as written."""


def together(*steps: Callable[[], Any]) -> list[Any]:
    """What the steps return, none of which needs another; the lines of all that are refused."""
    found, lines = [], []
    for step in steps:
        try:
            found.append(step())
        except Refused as refused:
            lines.append(str(refused))
    if lines:
        raise Refused("\n".join(lines))
    return found


def nearest_name(name: object, valid: Iterable[str]) -> str:
    """Remedy for an unknown name: the most similar valid name, or all valid names."""
    names = sorted(map(str, valid))
    close = get_close_matches(str(name), names, n=1, cutoff=0.5)
    if close:
        return f"did you mean '{close[0]}'?"
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return f"there are: {shown}" if names else "there are none"
