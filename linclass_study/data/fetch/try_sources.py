"""Try the sources of an entry in order until one yields a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linclass_study.data.fetch.available_sources import available_sources
from linclass_study.data.fetch.failures import Failures, add_failure, describe
from linclass_study.data.fetch.reader_commands import Build, Command, Execute, Read
from linclass_study.data.search_folders import SearchFolders
from linclass_study.data.unavailable import Unavailable


def first_usable(
    entry: Mapping[str, Any], folders: SearchFolders, execute: Execute
) -> tuple[str, Failures]:
    """(label of the first usable source, failures before it); the reader then holds the data set.

    A test set has sources of its own, and each of them is tried with each source of the training set.
    """
    failures: Failures = []

    def succeeds(label: str, command: Command) -> bool:
        result = execute(command)
        if not result.is_success:
            add_failure(failures, label, result.reason)
        return result.is_success

    for train in available_sources(entry, "source", folders, failures):
        if "test" not in entry:
            if succeeds(train.label, Build(train)):
                return train.label, failures
        elif succeeds(train.label, Read("source", train)):
            for test in available_sources(entry, "test", folders, failures):
                both = f"{train.label} + {test.label}"
                if succeeds(test.label, Read("test", test)) and succeeds(both, Build(train, test)):
                    return both, failures
    raise Unavailable(describe(failures))
