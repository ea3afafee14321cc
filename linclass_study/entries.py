"""Entries of data sets and of methods, as catalogues and studies have them: their lists, steps and metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Entry = Mapping[str, Any]  # of a data set or a method, as a catalogue or a study has it
Problem = tuple[list[Any], str]  # path of keys, what is wrong with their value
Problems = Iterator[Problem]


def as_list(given: Any) -> list[Any]:
    """Sources or names of an entry as a list, whether the entry has one, several or none."""
    return given if isinstance(given, list) else [] if given is None else [given]


def named_steps(entries: Any) -> list[tuple[str, dict[str, Any]]]:
    """[standardize, {impute: {numbers: median}}] → [(name, options), …]."""
    pairs = []
    for entry in entries or []:
        name, options = (entry, None) if isinstance(entry, str) else next(iter(entry.items()))
        pairs.append((name, dict(options or {})))
    return pairs


def leaves(value: Any, *path: Any) -> Iterator[tuple[list[Any], Any]]:
    """(path of keys, value) of each part, of an entry for example, that is neither a mapping nor a list."""
    if isinstance(value, Mapping | list):
        for key, part in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from leaves(part, *path, key)
    else:
        yield [*path], value


def class_name(label: Any) -> str:
    """A label as text; YAML's true and false as they are written."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def step_name(path: str) -> str:
    """Name of a transform in `tune:`, the last part of an import path."""
    return path.rpartition(".")[2]


# Keys of a data set on which no row depends.
SHOWN = ("licence", "citation", "domain", "apart")  # in tables/datasets.csv
METADATA = (*SHOWN, "shares_rows_with", "size", "label")


def without_metadata(entry: Entry) -> dict[str, Any]:
    """The entry without metadata: a change of licence or citation fetches nothing again."""
    return {key: value for key, value in entry.items() if key not in METADATA}


def shown_metadata(entry: Entry) -> dict[str, str | None]:
    """Licence, citation, domain and why it is apart, None where the entry does not say."""
    return {key: entry.get(key) for key in SHOWN}


def without_label(entry: Entry) -> dict[str, Any]:
    """The part of a method’s entry on which its fits depend."""
    return {key: value for key, value in entry.items() if key != "label"}


@dataclass(frozen=True)
class Labels:
    """Name of a method or data set → its name for readers: in figures, on the page and in tables for LaTeX.

    Without a label, or with one that others have too, it is the name itself.
    """

    methods: Mapping[str, str]
    datasets: Mapping[str, str]

    @classmethod
    def of(cls, methods: Mapping[str, Entry], datasets: Mapping[str, Entry]) -> Labels:
        return cls(_unique_labels(methods), _unique_labels(datasets))

    def title(self, key: str, title: str) -> str:
        """The title of a column; that of a method or a data set is its label."""
        return {**self.datasets, **self.methods}.get(key, title) if title == key else title


def _unique_labels(entries: Mapping[str, Entry]) -> dict[str, str]:
    given = {name: str(entry.get("label", name)) for name, entry in entries.items()}
    times = Counter(given.values())
    return {name: label if times[label] == 1 else name for name, label in given.items()}


def declared_shared_rows(entries: Mapping[str, Entry]) -> list[tuple[str, str]]:
    """Pairs of data sets of a study whose entries declare that they share rows (`shares_rows_with:`)."""
    return [
        (name, other)
        for name, entry in entries.items()
        for other in entry.get("shares_rows_with", [])
        if other in entries
    ]
