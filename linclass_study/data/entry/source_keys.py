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
    plain = PurePath(name)
    while plain.suffix in COMPRESSED:
        plain = plain.with_suffix("")
    return source.get("format") or entry.get("format") or SUFFIXES.get(plain.suffix.lower())
