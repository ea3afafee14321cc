"""What try_sources.py asks of a SourceReader, which may run in another process, and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linclass_study.data.fetch.available_sources import AvailableSource
from linclass_study.data.fetch.failures import Failures


@dataclass(frozen=True)
class Read:
    """Read the training or the test rows; `part` is 'source' or 'test', a key of the entry."""

    part: str
    source: AvailableSource


@dataclass(frozen=True)
class Build:
    """Build the data set of training rows and test rows, and keep it."""

    train: AvailableSource
    test: AvailableSource | None = None


@dataclass(frozen=True)
class Save:
    """Save the data set in its two files, with the label of its source and the failures before it."""

    label: str
    failures: Failures
    npz: str
    json: str


Command = Read | Build | Save


@dataclass(frozen=True)
class Result:
    """`reason` is why a command failed, or None after a success."""

    reason: str | None = None

    @property
    def is_success(self) -> bool:
        return self.reason is None


Execute = Callable[[Command], Result]  # by a reader in this process or in a guarded child
