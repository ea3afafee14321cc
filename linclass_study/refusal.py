"""What is said to a user whose input cannot work: the thing, its value, the remedy, in one line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class Refused(ValueError):
    """A study, or a part of it, that cannot run as it is written."""


def nearest(name: object, valid: Iterable[str]) -> str:
    """The remedy for a name that does not exist: the nearest that does, or all of them."""
    names = sorted(map(str, valid))
    close = get_close_matches(str(name), names, n=1, cutoff=0.5)
    if close:
        return f"did you mean '{close[0]}'?"
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return f"there are: {shown}" if names else "there are none"
