"""Errors of one line: of the user's input, with the thing, its value and the remedy; of data that are unavailable."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from linclass.base.suggestions import near_names


class StudyError(ValueError):
    """A study, or a part of it, cannot run as written."""


def printable(text: str) -> str:
    """Text from files for a terminal: control characters, which could steer it, as escapes."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def collect_errors(*steps: Callable[[], Any]) -> list[Any]:
    """Results of independent steps; if some are refused, one error with the lines of all of them."""
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


LONGEST = 2000  # characters of a reason, which is repeated in every row of every run


class Unavailable(Exception):
    """A data set, or one of its sources, is unavailable or invalid; the message is one line."""

    def __init__(self, reason: object) -> None:
        super().__init__(one_line(reason))


def one_line(text: object) -> str:
    """Text without line breaks, truncated to LONGEST."""
    line = " ".join(str(text).splitlines())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def first_line(error: Exception) -> str:
    """Type and first line of an exception; its traceback goes to the log."""
    traceback.print_exception(error)
    lines = str(error).strip().splitlines()
    return one_line(f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__)


@contextmanager
def errors_as_unavailable(summary: str) -> Iterator[None]:
    """Convert unexpected exceptions to Unavailable, so that the study continues."""
    try:
        yield
    except (Unavailable, MemoryError):  # the guard of a child names the memory limit
        raise
    except Exception as error:
        raise Unavailable(f"{summary} ({first_line(error)})") from None
