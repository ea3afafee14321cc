"""Keys of the entry of a data set: its sources, their formats, and the columns that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from linclass_study.entries import Entry, as_list

# The keys of an entry that describe its sources.

SUFFIXES = {f".{name}": name for name in ("arff", "csv", "libsvm", "parquet")}
SUFFIXES |= {".svm": "libsvm", ".svmlight": "libsvm", ".tsv": "csv"}
COMPRESSED = (".bz2", ".gz", ".xz")
KINDS = ("file", "url", "sklearn", "openml", "generate")
FILES = ("file", "url")  # the other kinds produce rows themselves


def source_kind(source: Mapping[str, Any]) -> str:
    """The key of a source that gives its location."""
    return next(key for key in KINDS if key in source)


def format_of(entry: Entry, source: Mapping[str, Any], name: str) -> str | None:
    """The format given by the source, else by its entry, else by the file name."""
    return source.get("format") or entry.get("format") or SUFFIXES.get(suffix_of(name))


def suffix_of(name: str) -> str:
    """The suffix of a file name in lower case, without that of a compression: A.CSV.gz → .csv."""
    plain = PurePath(name)
    while plain.suffix in COMPRESSED:
        plain = plain.with_suffix("")
    return plain.suffix.lower()


def dialect_of(entry: Entry, source: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The keys under `csv:` that hold for a source; the cells of a .tsv file are separated by tabs."""
    tabs = {"separator": "\t"} if suffix_of(name) == ".tsv" else {}
    return {**tabs, **entry.get("csv", {}), **source.get("csv", {})}


# Columns that an entry names.

NAMING = ("target", "group", "drop", "categorical", "texts")
# an index without a name that pandas writes into Parquet
INDEX = re.compile(r"__index_level_\d+__")


def named_columns(entry: Entry, keys: Iterable[str]) -> set[str]:
    """The columns that the entry names under these keys."""
    return {str(name) for key in keys for name in as_list(entry.get(key))}


def unnamed_index(names: Iterable[str], entry: Entry) -> list[str]:
    """Columns of an index, which only numbers the rows, that the entry does not name."""
    named = named_columns(entry, NAMING)
    return [name for name in names if INDEX.fullmatch(name) and name not in named]
