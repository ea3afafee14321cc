"""Try the sources of an entry in order until one yields a data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from linclass_study.data.fetch import failures as failed
from linclass_study.data.fetch.available_sources import available
from linclass_study.data.fetch.failures import Failures
from linclass_study.data.places import Places
from linclass_study.data.unavailable import Unavailable

Ask = Callable[..., str]  # calls a SourceReader, here or in a child, and returns why it failed


def first_usable(entry: Mapping[str, Any], places: Places, ask: Ask) -> tuple[str, Failures]:
    """(label of the first usable source, failures before it); the reader then holds the data set.

    A test set has sources of its own, and each of them is tried with each source of the training set.
    """
    failures: Failures = []

    def done(label: str, *order: Any) -> bool:
        if reason := ask(*order):
            failed.add(failures, label, reason)
        return not reason

    for train in available(entry, "source", places, failures):
        if "test" not in entry:
            if done(train.label, "build", train, None):
                return train.label, failures
        elif done(train.label, "read", "source", train):
            for test in available(entry, "test", places, failures):
                both = f"{train.label} + {test.label}"
                if done(test.label, "read", "test", test) and done(both, "build", train, test):
                    return both, failures
    raise Unavailable(failed.one_line(failures))
