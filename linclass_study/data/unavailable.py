"""The exception for data that cannot be obtained or read."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

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
