"""Keys of the entry of a data set: its sources, licence and citation, and expected size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from linclass import datasets as synthetic
from linclass_study.data.search_folders import SearchFolders
from linclass_study.project import ROOT

# The keys of an entry that describe its sources.

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


# Columns that an entry names.

NAMING = ("target", "group", "drop", "categorical", "texts")
INDEX = re.compile(
    r"__index_level_\d+__"
)  # an index without a name that pandas writes into Parquet


def named_columns(entry: Mapping[str, Any], keys: Iterable[str]) -> set[str]:
    """The columns that the entry names under these keys."""
    return {str(name) for key in keys for name in as_list(entry.get(key))}


def unnamed_index(names: Iterable[str], entry: Mapping[str, Any]) -> list[str]:
    """Columns of an index, which only numbers the rows, that the entry does not name."""
    given = named_columns(entry, NAMING)
    return [name for name in names if INDEX.fullmatch(name) and name not in given]


# Keys of an entry on which no row depends: licence, citation, related data sets, expected size.

METADATA = ("licence", "citation", "shares_rows_with", "size")


def without_metadata(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry without metadata: a change of licence or citation fetches nothing again."""
    return {key: value for key, value in entry.items() if key not in METADATA}


def licence_and_citation(entry: Mapping[str, Any]) -> dict[str, str | None]:
    """Licence and citation, None where the entry has none."""
    return {key: entry.get(key) for key in ("licence", "citation")}


def declared_shared_rows(entries: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Pairs of data sets of a study whose entries declare that they share rows (`shares_rows_with:`)."""
    return [
        (name, other)
        for name, entry in entries.items()
        for other in entry.get("shares_rows_with", [])
        if other in entries
    ]


# Expected size of a data set, as far as its entry allows an estimate before anything is fetched.

BYTES = 4  # of a file per value: between 0/1 and full precision


class Size(NamedTuple):
    """Approximate number of values (rows × features, or what is not 0 of sparse ones), and number of rows if known."""

    values: int
    rows: int | None = None


def expected_size(entry: Mapping[str, Any], root: Path = ROOT) -> Size | None:
    """Size from the entry's `size:`, else from its sources; None if unknown.

    It depends on the entry and on local files, never on downloads, so a plan based on it stays the same.
    """
    if "size" in entry:
        rows, features = entry["size"]["rows"], entry["size"].get("features", 1)
        return Size(entry["size"].get("nonzero", rows * features), rows)
    sources = [*as_list(entry.get("source")), *as_list(entry.get("test"))]
    return max((size for one in sources if (size := _size_of(one, root))), default=None)


def _size_of(source: Mapping[str, Any], root: Path) -> Size | None:
    kind = source_kind(source)
    if kind == "generate":  # the number of features is that of a sample of one row per class
        keys = {key: value for key, value in source.items() if key not in ("generate", "rows")}
        X, _ = synthetic.generate(source["generate"], rows=[1] * len(source["rows"]), **keys)
        return Size(sum(source["rows"]) * X.shape[1], sum(source["rows"]))
    if kind == "sklearn" and source["sklearn"] in BUNDLED:
        rows, features = BUNDLED[source["sklearn"]]
        return Size(rows * features, rows)
    if kind == "file" and (path := SearchFolders(root=root).local(source["file"])):
        files = path.rglob("*") if path.is_dir() else [path]
        return Size(sum(file.stat().st_size for file in files) // BYTES)
    return None


BUNDLED = {  # rows and features, from scikit-learn's descriptions
    "iris": (150, 4),
    "wine": (178, 13),
    "breast_cancer": (569, 30),
    "digits": (1797, 64),
}
