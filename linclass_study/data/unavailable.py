"""Why data are unavailable: the exception, and the reasons of the sources in the order in which they were tried."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

# The exception for data that cannot be obtained or read.

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


# Reasons why sources are unavailable, in the order in which they were tried.

Failures = list[dict[str, str]]


def add_failure(failures: Failures, source: str, reason: object) -> None:
    failure = {"source": source, "reason": str(reason)}
    if failure not in failures:
        failures.append(failure)


def describe(failures: Failures) -> str:
    """All reasons in one line."""
    reasons = {failure["reason"] for failure in failures}
    if len(failures) > 1 and len(reasons) == 1:
        return f"{reasons.pop()} (in each of {len(failures)} sources)"
    return "; ".join(f"{failure['source']}: {failure['reason']}" for failure in failures)
