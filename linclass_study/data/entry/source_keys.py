"""The keys of an entry that describe its sources."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

SUFFIXES = {
    ".arff": "arff",
    ".csv": "csv",
    ".libsvm": "libsvm",
    ".parquet": "parquet",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".tsv": "csv",
}
COMPRESSED = (".bz2", ".gz", ".xz")
KINDS = ("file", "url", "sklearn", "openml", "generate")
FILES = ("file", "url")  # the other kinds produce rows themselves
PARTS = {"source": 0, "test": 1}


def as_list(given: Any) -> list[Any]:
    """Sources or names of an entry as a list, whether the entry has one, several or none."""
    return given if isinstance(given, list) else [] if given is None else [given]


def source_kind(source: Mapping[str, Any]) -> str:
    """The key of a source that gives its location."""
    return next(key for key in KINDS if key in source)


def format_of(entry: Mapping[str, Any], source: Mapping[str, Any], name: str) -> str | None:
    """The format given by the source, else by its entry, else by the file name."""
    return source.get("format") or entry.get("format") or SUFFIXES.get(suffix_of(name))


def suffix_of(name: str) -> str:
    """The ending of a file name, small and without that of a compression: A.CSV.gz → .csv."""
    plain = PurePath(name)
    while plain.suffix in COMPRESSED:
        plain = plain.with_suffix("")
    return plain.suffix.lower()


def dialect_of(entry: Mapping[str, Any], source: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The keys under `csv:` that hold for a source; the cells of a .tsv file are separated by tabs."""
    tabs = {"separator": "\t"} if suffix_of(name) == ".tsv" else {}
    return {**tabs, **entry.get("csv", {}), **source.get("csv", {})}
