"""Check the entry of a data set before any work, as far as possible without the data.

The schema has checked keys and types; these checks concern combinations of keys.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

from linclass import datasets as synthetic
from linclass_study.data import labels
from linclass_study.data.entry_keys import KINDS, dialect_of, format_of
from linclass_study.data.labels import cost_matrix
from linclass_study.data.local_copies import SearchFolders
from linclass_study.entries import Entry, Problems, as_list, leaves
from linclass_study.errors import Unavailable, suggest_name

OF_SCIKIT_LEARN = "breast_cancer", "diabetes", "digits", "iris", "linnerud", "wine"  # bundled
OF_FILES = {"format", "csv", "sha256", "vocabulary"}
# their rows have named columns, one of which is the target
TABLES = {"csv", "arff", "parquet", "parquet_blocks"}
WORDS = {"bag_of_words", "inverted_index"}


def entry_problems(entry: Entry, folders: SearchFolders = SearchFolders()) -> Problems:  # noqa: B008 – it is frozen
    """Yield (path of keys, message) for each problem of the entry."""
    infinite = [*_unstorable_numbers(entry)]
    if infinite:
        yield from infinite
        return
    of_sources = [
        *_sources_problems(entry, "source", folders),
        *_sources_problems(entry, "test", folders),
    ]
    yield from of_sources
    if not of_sources:
        yield from _format_problems(entry)
    yield from _class_problems(entry)


def _unstorable_numbers(entry: Entry) -> Problems:
    """YAML allows .nan, .inf and integers of any length; tables and JSON do not."""
    for path, value in leaves(entry):
        if isinstance(value, float) and not math.isfinite(value):
            yield path, f"{value} is not a finite number"
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            bits = value.bit_length()
            yield path, f"a whole number of {bits} bits is too large; give at most 1e308"


def _sources_problems(entry: Entry, key: str, folders: SearchFolders) -> Problems:
    """The problems of each source; one more if all are files, and none of them exists."""
    sources = as_list(entry.get(key))
    paths = [[key, i] if isinstance(entry[key], list) else [key] for i in range(len(sources))]
    for path, source in zip(paths, sources, strict=True):
        yield from (([*path, *inner], text) for inner, text in _source_problems(source, entry))
    files = [source["file"] for source in sources if "file" in source]
    if files and len(files) == len(sources) and not any(map(folders.found, files)):
        yield [*paths[0], "file"], f"there is no file '{files[0]}'"


def _source_problems(source: Mapping[str, Any], entry: Entry) -> Problems:
    kinds = [kind for kind in KINDS if kind in source]
    if len(kinds) != 1:
        what = f"{' and '.join(kinds)} are two sources" if kinds else "the source has no location"
        yield [], f"{what}; give one of {', '.join(KINDS)}"
        return
    kind = kinds[0]
    if kind == "generate":  # try its keys together, with one row per class
        keys = {key: value for key, value in source.items() if key != "generate"}
        try:
            synthetic.generate(source["generate"], **keys | {"rows": [1] * len(source["rows"])})
        except (ValueError, TypeError) as error:
            yield [], str(error)
        return
    if kind == "sklearn" and (name := source["sklearn"]) not in OF_SCIKIT_LEARN:
        what = f"scikit-learn has no data set '{name}'"
        yield ["sklearn"], f"{what}; {suggest_name(name, OF_SCIKIT_LEARN)}"
    other_keys = OF_FILES if kind in ("file", "url") else set()
    for key in source:
        if key not in {kind, *other_keys}:
            yield [key], f"is not supported for {kind}; leave it out"
    if other_keys and format_of(entry, source, source[kind]) is None:
        what = f"`format:` is missing and not known from the name '{source[kind]}'"
        yield [], f"{what}; add it, such as `format: csv`, or save the file as CSV or Parquet"
    dialect = dialect_of(entry, source, source[kind]) if other_keys else {}
    if "names" in dialect and dialect.get("header"):
        yield ["csv"], "`names:` are for a file without a header; leave one out by `skip: 1`"


def _format_problems(entry: Entry) -> Problems:
    """Keys about columns or words need a format that has columns or words."""
    files = [s for s in as_list(entry["source"]) if "file" in s or "url" in s]
    formats = {format_of(entry, s, s.get("file") or s["url"]) for s in files}
    if len(files) < len(as_list(entry["source"])):
        formats.add("columns")  # scikit-learn, OpenML and generators name columns and target
    if formats <= TABLES and "target" not in entry:
        yield [], "the key 'target' is missing; give the column that holds the class"
    if "group" in entry and str(entry["group"]) == str(entry.get("target", "")):
        yield ["group"], f"'{entry['group']}' is also the target; give the column of the groups"
    shown = " and ".join(sorted(map(str, formats)))
    if not formats & (TABLES | {"columns", "text_folders"}) and "texts" in entry:
        yield ["texts"], f"is not supported for {shown}, which has no texts; leave it out"
    if both := {*map(str, entry.get("texts", []))} & {*map(str, entry.get("categorical", []))}:
        yield ["texts"], f"'{min(both)}' is also under `categorical:`; remove one of the two"
    if "text_folders" in formats and "texts" not in entry:
        yield [], "the key 'texts' is missing; add `texts: [text]`, and count words by a feature"
    if not formats & (TABLES | {"columns"}):
        for key in {"target", "categorical", "group"} & set(entry):
            yield [key], f"is not supported for {shown}, which has no such columns; leave it out"
    if "dense" in entry and "parquet_blocks" in formats:
        what = "parquet_blocks, whose rows stay in their file"
        yield ["dense"], f"is not supported for {what}; leave it out"
    if entry.get("binary") and not formats & (WORDS | {"libsvm"}):
        yield ["binary"], f"is for counts of words, not for {shown}; leave it out"
    if "csv" in entry and "csv" not in formats:
        yield ["csv"], f"is not supported for {shown}; leave it out"


def _class_problems(entry: Entry) -> Problems:
    classes = entry.get("classes")
    if isinstance(classes, Mapping):
        class_of: dict[str, str] = {}
        for name, group in classes.items():
            if isinstance(name, bool):
                text = "YAML reads on, off, yes and no as true and false, so a class is called"
                yield ["classes"], f"{text} {name}; put its name in quotes"
            for label in map(str, as_list(group)):
                if label in class_of:
                    what = f"'{label}' is in '{class_of[label]}' already; remove one"
                    yield ["classes", name], what
                class_of[label] = name
    if classes is not None and "positive" in entry:
        try:
            labels.lookup(entry["positive"], map(str, classes), "positive")
        except Unavailable as error:
            yield ["positive"], str(error).removeprefix("positive: ")
    costs = entry.get("costs")
    if costs is not None:
        if classes is not None:
            names = list(map(str, classes))
        elif isinstance(costs, Mapping):  # the classes that it names
            every = [*costs, *(action for row in costs.values() for action in row)]
            names = list(dict.fromkeys(map(str, every)))
        else:
            names = [f"class {k}" for k in range(1, len(costs) + 1)]
        try:
            cost_matrix(entry, names)
        except Unavailable as error:
            named = classes is None and isinstance(costs, Mapping)
            unsure = "; or correct the misspelled class name" * named
            yield ["costs"], str(error).removeprefix("costs: ") + unsure
